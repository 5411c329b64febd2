package loadbalance

import (
	"cmp"
	"context"
	"slices"

	"ampirun/loadbalance/internal/queue"
)

var greedyComm = strategy{
	info: Info{
		Traffic: true,
		Name:    "GreedyComm", Aliases: []string{"GreedyCommLB", "CommAware"},
		Summary: "fills one PE after the other, node by node, each with the ranks that talk most to those already there; then refines. " +
			"Charm++'s takes heaviest first instead",
		Complexity: "O((n + E) log n)",
		Reference:  "GreedyCommLB of Charm++; greedy graph growing: G. Karypis, V. Kumar, SIAM J. Sci. Comput. 20(1), 1998",
	},
	balance: func(ctx context.Context, m *Measurements, o Options) ([]Move, error) {
		g := newGrower(m)
		for _, pe := range m.pesByNode() {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			g.fill(pe)
		}
		if err := g.p.pack(ctx, g.unplaced(), newPEIndex(g.p)); err != nil {
			return nil, err
		}
		if err := g.p.refine(ctx, m.Level()*o.tolerance()); err != nil {
			return nil, err
		}
		return g.p.movesIfUseful(), nil
	},
}

// pesByNode lists all PEs, those of a node together.
func (m *Measurements) pesByNode() []int32 {
	pes := make([]int32, len(m.PEs))
	for p := range pes {
		pes[p] = int32(p)
	}
	slices.SortStableFunc(pes, func(a, b int32) int { return cmp.Compare(m.PEs[a].Node, m.PEs[b].Node) })
	return pes
}

// grower fills PEs with ranks that talk to each other.
type grower struct {
	p        *placement
	graph    Graph // symmetric
	room     []float64
	heaviest []int32 // movable ranks, heaviest first; placed ones are dropped from the front
	tie      []int64 // traffic of each rank with the PE being filled; void unless stamp is that PE
	stamp    []int32
	queue    queue.Queue
	pinned   [][]int32 // of each PE
	last     []int32   // ranks of the PE that was filled before
}

func newGrower(m *Measurements) *grower {
	g := &grower{p: m.onlyPinned(), graph: m.Graph.Symmetric(), room: m.room(), heaviest: m.movable(),
		tie: make([]int64, len(m.Ranks)), stamp: make([]int32, len(m.Ranks)), pinned: make([][]int32, len(m.PEs))}
	m.heaviestFirst(g.heaviest)
	for r := range m.Ranks {
		g.stamp[r] = nowhere
		if pe := g.p.pe[r]; pe != nowhere {
			g.pinned[pe] = append(g.pinned[pe], int32(r))
		}
	}
	return g
}

// fill puts ranks on a PE until it has no room. It starts beside what is pinned there, else beside the PE filled before.
func (g *grower) fill(pe int32) {
	g.queue = g.queue[:0]
	for _, r := range g.pinned[pe] {
		g.offerPeers(r, pe)
	}
	if len(g.queue) == 0 {
		for _, r := range g.last {
			g.offerPeers(r, pe)
		}
		if first := g.next(pe); first != nowhere { // only where to begin: from here on, ties to pe itself count
			g.queue = g.queue[:0]
			g.forget(g.last)
			g.last = g.last[:0]
			g.place(first, pe)
		}
	}
	g.last = g.last[:0]
	for {
		r := g.next(pe)
		if r == nowhere {
			return
		}
		g.place(r, pe)
	}
}

// place puts a rank on the PE being filled.
func (g *grower) place(r, pe int32) {
	g.p.put(r, pe)
	g.room[pe] -= g.p.m.Ranks[r].Load
	g.last = append(g.last, r)
	g.offerPeers(r, pe)
}

// offerPeers makes those that a rank talks to candidates for a PE.
func (g *grower) offerPeers(r, pe int32) {
	from, to := g.graph.Row(int(r))
	for i := from; i < to; i++ {
		q := g.graph.Peer[i]
		if g.p.pe[q] != nowhere {
			continue
		}
		if g.stamp[q] != pe {
			g.stamp[q], g.tie[q] = pe, 0
		}
		g.tie[q] += g.graph.weight(i)
		g.queue.Push(queue.Candidate{Value: g.tie[q], ID: q})
	}
}

// forget makes the ties that some ranks gave count no more.
func (g *grower) forget(ranks []int32) {
	for _, r := range ranks {
		from, to := g.graph.Row(int(r))
		for i := from; i < to; i++ {
			g.stamp[g.graph.Peer[i]] = nowhere
		}
	}
}

// next is the candidate with the strongest tie that fits, else the heaviest rank that fits.
func (g *grower) next(pe int32) int32 {
	for len(g.queue) > 0 {
		c := g.queue[0]
		g.queue.Pop()
		if g.p.pe[c.ID] == nowhere && g.stamp[c.ID] == pe && g.tie[c.ID] == c.Value && g.fits(c.ID, pe) {
			return c.ID
		}
	}
	for len(g.heaviest) > 0 && g.p.pe[g.heaviest[0]] != nowhere {
		g.heaviest = g.heaviest[1:]
	}
	for _, r := range g.heaviest[:min(len(g.heaviest), lookAhead)] {
		if g.p.pe[r] == nowhere && g.fits(r, pe) {
			return r
		}
	}
	return nowhere
}

// lookAhead is how many ranks without ties are looked at for one that fits.
const lookAhead = 16

// fits tells whether most of a rank fits in the room of a PE: on average, half of the last one is too much.
func (g *grower) fits(r, pe int32) bool {
	load := g.p.m.Ranks[r].Load
	return g.room[pe] > 0 && load <= 2*g.room[pe]
}

// unplaced lists what found no room, heaviest first.
func (g *grower) unplaced() []int32 {
	return slices.DeleteFunc(g.heaviest, func(r int32) bool { return g.p.pe[r] != nowhere })
}
