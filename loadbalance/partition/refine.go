package partition

import "ampirun/loadbalance/internal/queue"

// gains knows what moving each vertex to the other side would take off the cut, and finds the best to move.
type gains struct {
	g      *Graph
	gain   []int64
	locked []bool
	queue  [2]queue.Queue // candidates of each side; entries that are out of date are skipped
}

func newGains(g *Graph, side []uint8) *gains {
	f := &gains{g: g, gain: make([]int64, g.Vertices()), locked: make([]bool, g.Vertices())}
	for v := range f.gain {
		for i := g.Start[v]; i < g.Start[v+1]; i++ {
			if side[g.Peer[i]] == side[v] {
				f.gain[v] -= g.Edge[i]
			} else {
				f.gain[v] += g.Edge[i]
			}
		}
	}
	return f
}

// flip moves a vertex for good and makes its neighbours candidates.
func (f *gains) flip(v int32, side []uint8) {
	f.locked[v] = true
	side[v] ^= 1
	f.gain[v] = -f.gain[v]
	for i := f.g.Start[v]; i < f.g.Start[v+1]; i++ {
		u := f.g.Peer[i]
		if side[u] == side[v] {
			f.gain[u] -= 2 * f.g.Edge[i]
		} else {
			f.gain[u] += 2 * f.g.Edge[i]
		}
		f.offer(u, side)
	}
}

// offer makes a vertex a candidate of its side.
func (f *gains) offer(v int32, side []uint8) {
	if !f.locked[v] {
		f.queue[side[v]].Push(queue.Candidate{Value: f.gain[v], ID: v})
	}
}

// top is the candidate of a side with the largest gain.
func (f *gains) top(s uint8, side []uint8) (v int32, ok bool) {
	q := &f.queue[s]
	for len(*q) > 0 {
		c := (*q)[0]
		if !f.locked[c.ID] && side[c.ID] == s && f.gain[c.ID] == c.Value {
			return c.ID, true
		}
		q.Pop()
	}
	return -1, false
}

// popConnected takes the best candidate of a side.
func (f *gains) popConnected(s uint8, side []uint8) (v int32, ok bool) {
	if v, ok = f.top(s, side); ok {
		f.queue[s].Pop()
	}
	return v, ok
}

// maxPasses and maxFruitless end the refinement of a level: passes, and moves of a pass since the best division.
const (
	maxPasses    = 8
	maxFruitless = 120
)

// refine improves a division by moving single vertices, also for the worse for a while, and gives the best one it met.
func refine(g *Graph, side []uint8, o goal) score {
	p := pass{g: g, side: side, goal: o}
	for v, s := range side {
		if s == 0 {
			p.weight += g.Vertex[v]
		}
	}
	for range maxPasses {
		before := p.now(p.cut())
		if after := p.run(before); !after.less(before) {
			break
		}
	}
	return p.now(p.cut())
}

// pass is one sweep of Fiduccia and Mattheyses: every vertex moves at most once.
type pass struct {
	g      *Graph
	side   []uint8
	goal   goal
	weight int64 // of side 0
}

func (p *pass) now(cut int64) score {
	return score{p.goal.outside(p.weight), cut, abs(p.weight - p.goal.want)}
}

func (p *pass) cut() (cut int64) {
	for v := range p.side {
		for i := p.g.Start[v]; i < p.g.Start[v+1]; i++ {
			if p.side[v] != p.side[p.g.Peer[i]] {
				cut += p.g.Edge[i]
			}
		}
	}
	return cut / 2
}

// run makes one pass and takes the moves after the best division back.
func (p *pass) run(start score) (best score) {
	f := newGains(p.g, p.side)
	p.offerFirst(f, start)
	best, cut := start, start.cut
	var moved []int32
	kept := 0
	for len(moved)-kept < maxFruitless {
		v, ok := p.choose(f)
		if !ok {
			break
		}
		cut -= f.gain[v]
		p.weight = p.weightAfter(v)
		f.flip(v, p.side)
		moved = append(moved, v)
		if s := p.now(cut); s.less(best) {
			best, kept = s, len(moved)
		}
	}
	for _, v := range moved[kept:] {
		p.weight = p.weightAfter(v)
		p.side[v] ^= 1
	}
	return best
}

// offerFirst makes the vertices at the cut candidates; all of them, where balance must come from anywhere.
func (p *pass) offerFirst(f *gains, start score) {
	for v := range p.side {
		if start.outside > 0 || p.g.Vertices() < 2*coarsest || p.atCut(v) {
			f.offer(int32(v), p.side)
		}
	}
}

func (p *pass) atCut(v int) bool {
	for i := p.g.Start[v]; i < p.g.Start[v+1]; i++ {
		if p.side[v] != p.side[p.g.Peer[i]] {
			return true
		}
	}
	return false
}

func (p *pass) weightAfter(v int32) int64 {
	if p.side[v] == 0 {
		return p.weight - p.g.Vertex[v]
	}
	return p.weight + p.g.Vertex[v]
}

// choose takes the candidate with the largest gain whose move leaves the balance no worse than allowed, or than it is.
func (p *pass) choose(f *gains) (v int32, ok bool) {
	for {
		s, v, ok := p.better(f)
		if !ok {
			return -1, false
		}
		f.queue[s].Pop()
		if after := p.goal.outside(p.weightAfter(v)); after == 0 || after < p.goal.outside(p.weight) {
			return v, true
		}
	}
}

func (p *pass) better(f *gains) (s uint8, v int32, ok bool) {
	v0, ok0 := f.top(0, p.side)
	v1, ok1 := f.top(1, p.side)
	switch {
	case ok0 && (!ok1 || p.weight > p.goal.high || f.gain[v0] > f.gain[v1] && p.weight >= p.goal.low):
		return 0, v0, true
	case ok1 && (!ok0 || p.weight < p.goal.low || f.gain[v1] > f.gain[v0]):
		return 1, v1, true
	case ok0 && p.weight >= p.goal.want:
		return 0, v0, true
	}
	return 1, v1, ok1
}
