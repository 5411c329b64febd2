package loadbalance

import (
	"context"
	"math"

	"ampirun/loadbalance/partition"
)

const bisectReference = "G. Karypis, V. Kumar, A Fast and High Quality Multilevel Scheme for Partitioning Irregular Graphs, SIAM J. Sci. Comput. 20(1), 1998"

var recBisect = strategy{
	info: Info{
		Traffic: true,
		Name:    "RecBisect", Aliases: []string{"RecBipartLB", "RecBisectBfLB", "bisection"},
		Summary:    "divides the measured communication graph by multilevel recursive bisection, parts as large as PEs are fast; then refines",
		Complexity: "O((n + E) log P)",
		Reference:  bisectReference,
	},
	balance: balanceBy("", partition.Own),
}

var metis = strategy{
	info: Info{
		Traffic: true,
		Name:    "Metis", Aliases: []string{"MetisLB"},
		Summary:    "as RecBisect, by METIS 5 if libmetis5 is installed",
		Complexity: "O((n + E) log P)",
		Reference:  bisectReference,
	},
	balance: balanceBy("metis", partition.Own),
}

var scotch = strategy{
	info: Info{
		Traffic: true,
		Name:    "Scotch", Aliases: []string{"ScotchLB"},
		Summary:    "as RecBisect, by Scotch if libscotch is installed",
		Complexity: "O((n + E) log P)",
		Reference:  "F. Pellegrini, J. Roman, Scotch: A Software Package for Static Mapping by Dual Recursive Bipartitioning, HPCN Europe 1996",
	},
	balance: balanceBy("scotch", partition.Own),
}

// balanceBy makes a strategy of a partitioner that may be there under a name, and of one that takes its place.
func balanceBy(name string, fallback partition.Function) func(context.Context, *Measurements, Options) ([]Move, error) {
	return func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		c := newCarver(m)
		if len(c.ranks) == 0 || len(c.pes) == 0 {
			return nil, nil
		}
		part, err := c.divide(name, fallback, o)
		if err != nil {
			return nil, err
		}
		p := m.onlyPinned()
		seats := c.seats(part)
		for v, r := range c.ranks {
			p.put(r, seats[part[v]])
		}
		if err := p.refine(ctx, m.Level()*o.tolerance()); err != nil {
			return nil, err
		}
		return p.movesIfUseful(), nil
	}
}

// carver turns measurements into a partitioning problem: movable ranks are vertices, PEs with room are parts.
type carver struct {
	m       *Measurements
	ranks   []int32
	pes     []int32   // those of a node together, so that bisection separates nodes first
	targets []float64 // shares of the PEs
	graph   *partition.Graph
}

func newCarver(m *Measurements) *carver {
	c := &carver{m: m, ranks: m.movable()}
	room, total := m.room(), 0.0
	for _, pe := range m.pesByNode() {
		if room[pe] > 0 {
			c.pes = append(c.pes, pe)
			c.targets = append(c.targets, room[pe])
			total += room[pe]
		}
	}
	for i := range c.targets {
		c.targets[i] /= total
	}
	c.makeGraph()
	return c
}

// vertexTotal is what the weights of all vertices add up to, about.
const vertexTotal = 1 << 40

func (c *carver) makeGraph() {
	number := make([]int32, len(c.m.Ranks))
	total := 0.0
	for r := range number {
		number[r] = nowhere
	}
	for v, r := range c.ranks {
		number[r] = int32(v)
		total += c.m.Ranks[r].Load
	}
	s := c.m.Graph.Symmetric()
	c.graph = &partition.Graph{Start: make([]int32, 1, len(c.ranks)+1)}
	for _, r := range c.ranks {
		from, to := s.Row(int(r))
		for i := from; i < to; i++ {
			if u := number[s.Peer[i]]; u != nowhere {
				c.graph.Peer = append(c.graph.Peer, u)
				c.graph.Edge = append(c.graph.Edge, s.weight(i))
			}
		}
		c.graph.Start = append(c.graph.Start, int32(len(c.graph.Peer)))
		c.graph.Vertex = append(c.graph.Vertex, int64(c.m.Ranks[r].Load/max(total, math.SmallestNonzeroFloat64)*vertexTotal))
	}
}

// divide calls the partitioner of that name, or the one in its place if it is not there or fails.
func (c *carver) divide(name string, fallback partition.Function, o Options) ([]int32, error) {
	if name != "" {
		if f, err := partition.Find(name); err != nil {
			o.note("%v: using bisection of our own", err)
		} else if part, err := f(c.graph, c.targets, o.Seed); err != nil {
			o.note("%s: %v: using bisection of our own", name, err)
		} else {
			return part, nil
		}
	}
	return fallback(c.graph, c.targets, o.Seed)
}
