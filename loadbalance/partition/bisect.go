package partition

import (
	"math/rand/v2"
	"slices"
)

// bisection divides one graph in two sides, 0 and 1.
type bisection struct {
	random *rand.Rand
}

// starts is how many first divisions of the coarsest graph are tried.
const starts = 6

// run divides g so that side 0 has the given share of the weight, give or take slack.
func (b *bisection) run(g *Graph, share, slack float64) []uint8 {
	levels := coarsen(g, b.random)
	smallest := levels[len(levels)-1].g
	goal := newGoal(smallest, share, slack)
	var best []uint8
	var bestScore score
	for range starts {
		side := b.grow(smallest, goal)
		s := refine(smallest, side, goal)
		if best == nil || s.less(bestScore) {
			best, bestScore = side, s
		}
	}
	for i := len(levels) - 1; i > 0; i-- {
		best = project(best, levels[i].merged)
		fine := levels[i-1].g
		refine(fine, best, newGoal(fine, share, slack))
	}
	return best
}

// project gives each vertex the side of the one it was merged into.
func project(coarse []uint8, merged []int32) []uint8 {
	side := make([]uint8, len(merged))
	for v, c := range merged {
		side[v] = coarse[c]
	}
	return side
}

// goal is the weights that side 0 may have.
type goal struct {
	want, low, high int64
}

func newGoal(g *Graph, share, slack float64) goal {
	total := float64(g.Total())
	want := total * share
	return goal{want: int64(want), low: int64(want - total*slack*min(share, 1-share)*2), high: int64(want + total*slack*min(share, 1-share)*2)}
}

// outside is how far a weight of side 0 is from being allowed.
func (o goal) outside(weight int64) int64 { return max(0, o.low-weight, weight-o.high) }

// score orders divisions: balance first, then the cut, then the distance from the weight that was asked for.
type score struct {
	outside, cut, distance int64
}

func (a score) less(b score) bool {
	if a.outside != b.outside {
		return a.outside < b.outside
	}
	if a.cut != b.cut {
		return a.cut < b.cut
	}
	return a.distance < b.distance
}

func abs(x int64) int64 { return max(x, -x) }

// grow makes a first division: side 0 grows from a vertex chosen at random, always by the one whose move cuts least.
func (b *bisection) grow(g *Graph, o goal) []uint8 {
	side := make([]uint8, g.Vertices())
	for v := range side {
		side[v] = 1
	}
	f := newGains(g, side)
	order := b.random.Perm(g.Vertices())
	for weight := int64(0); weight < o.want; {
		v, ok := f.popConnected(1, side)
		if !ok { // the next component
			i := slices.IndexFunc(order, func(v int) bool { return side[v] == 1 })
			if i < 0 {
				break
			}
			order, v = order[i:], int32(order[i])
		}
		if weight > 0 && weight+g.Vertex[v] > o.high && abs(weight-o.want) <= abs(weight+g.Vertex[v]-o.want) {
			break
		}
		weight += g.Vertex[v]
		f.flip(v, side)
	}
	return side
}
