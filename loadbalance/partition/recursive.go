package partition

import (
	"math/rand/v2"
	"slices"
)

// Own is the partitioner of this package: recursive bisection, each a multilevel one (G. Karypis, V. Kumar, A Fast and
// High Quality Multilevel Scheme for Partitioning Irregular Graphs, SIAM J. Sci. Comput. 20(1), 1998): heavy-edge
// matching, greedy graph growing, and the refinement of C. Fiduccia and R. Mattheyses (DAC 1982) on each level.
// O((V + E) log k). Neighbouring part numbers are near in the graph. It never fails.
func Own(g *Graph, targets []float64, seed uint64) ([]int32, error) {
	part := make([]int32, g.Vertices())
	all := make([]int32, g.Vertices())
	for v := range all {
		all[v] = int32(v)
	}
	d := divider{part: part, seed: seed}
	d.divide(g, all, targets, 0)
	return part, nil
}

type divider struct {
	part []int32
	seed uint64
}

// divide gives the vertices of g, which are called names in the whole graph, the parts from first on.
func (d *divider) divide(g *Graph, names []int32, targets []float64, first int) {
	if len(targets) == 1 || len(names) == 0 {
		for _, v := range names {
			d.part[v] = int32(first)
		}
		return
	}
	half := len(targets) / 2
	share := sum(targets[:half]) / sum(targets)
	b := bisection{random: rand.New(rand.NewPCG(d.seed, uint64(first)<<32|uint64(len(targets))))}
	side := b.run(g, share, slack(len(targets)))
	for s, rest := range [][]float64{targets[:half], targets[half:]} {
		sub, subNames := extract(g, names, side, uint8(s))
		d.divide(sub, subNames, rest, first+s*half)
	}
}

// slack is how far from its share a side may be, as part of all weight: what remains for the bisections below adds up.
func slack(parts int) float64 {
	if parts > 8 {
		return 0.003
	}
	return 0.01
}

func sum(x []float64) (s float64) {
	for _, v := range x {
		s += v
	}
	return s
}

// extract is the graph of one side, with the names of its vertices.
func extract(g *Graph, names []int32, side []uint8, want uint8) (*Graph, []int32) {
	number := make([]int32, len(names))
	var kept []int32
	for v := range names {
		if side[v] == want {
			number[v] = int32(len(kept))
			kept = append(kept, int32(v))
		}
	}
	sub := &Graph{Start: make([]int32, 1, len(kept)+1), Vertex: make([]int64, 0, len(kept))}
	for _, v := range kept {
		for i := g.Start[v]; i < g.Start[v+1]; i++ {
			if side[g.Peer[i]] == want {
				sub.Peer = append(sub.Peer, number[g.Peer[i]])
				sub.Edge = append(sub.Edge, g.Edge[i])
			}
		}
		sub.Start = append(sub.Start, int32(len(sub.Peer)))
		sub.Vertex = append(sub.Vertex, g.Vertex[v])
	}
	for i, v := range kept {
		kept[i] = names[v]
	}
	return sub, slices.Clip(kept)
}
