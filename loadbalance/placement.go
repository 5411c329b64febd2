package loadbalance

import (
	"cmp"
	"math/rand/v2"
	"slices"
)

// nowhere is the PE of a rank that has not been placed yet.
const nowhere = -1

// placement is a mapping being worked on, with the time of each PE.
type placement struct {
	m    *Measurements
	pe   []int32
	time []float64
}

// present is the placement as it was measured.
func (m *Measurements) present() *placement {
	mapping := m.Mapping()
	return &placement{m: m, pe: mapping, time: m.times(mapping)}
}

// onlyPinned is the placement with the ranks that can move taken out.
func (m *Measurements) onlyPinned() *placement {
	p := &placement{m: m, pe: make([]int32, len(m.Ranks)), time: make([]float64, len(m.PEs))}
	for i := range m.PEs {
		p.time[i] = m.PEs[i].Background
	}
	for r := range m.Ranks {
		p.pe[r] = nowhere
		if m.Ranks[r].Pinned {
			p.put(int32(r), m.Ranks[r].PE)
		}
	}
	return p
}

// put places a rank that is nowhere.
func (p *placement) put(r, pe int32) {
	p.pe[r] = pe
	p.time[pe] += p.cost(r, pe)
}

// move takes a rank elsewhere.
func (p *placement) move(r, to int32) {
	p.time[p.pe[r]] -= p.cost(r, p.pe[r])
	p.put(r, to)
}

// cost is the time a rank takes on a PE.
func (p *placement) cost(r, pe int32) float64 { return p.m.Ranks[r].Load / p.m.PEs[pe].Speed }

func (p *placement) makespan() float64 { return slices.Max(p.time) }

func (p *placement) moves() []Move { return p.m.movesTo(p.pe) }

// movesIfBetter gives no moves where the present mapping is as good: strategies that start from nothing may end worse.
func (p *placement) movesIfBetter() []Move {
	if p.makespan() >= p.m.present().makespan() {
		return nil
	}
	return p.moves()
}

// movable lists the ranks that can move.
func (m *Measurements) movable() []int32 {
	ranks := make([]int32, 0, len(m.Ranks))
	for r := range m.Ranks {
		if !m.Ranks[r].Pinned {
			ranks = append(ranks, int32(r))
		}
	}
	return ranks
}

// heaviestFirst orders ranks by falling load, equal ones by number.
func (m *Measurements) heaviestFirst(ranks []int32) {
	type keyed struct {
		load float64
		rank int32
	}
	keys := make([]keyed, len(ranks))
	for i, r := range ranks {
		keys[i] = keyed{m.Ranks[r].Load, r}
	}
	slices.SortFunc(keys, func(a, b keyed) int { return cmp.Or(cmp.Compare(b.load, a.load), cmp.Compare(a.rank, b.rank)) })
	for i, k := range keys {
		ranks[i] = k.rank
	}
}

// byPE lists the movable ranks of each PE in compressed rows: those of PE p are ranks[start[p]:start[p+1]], by number.
func (p *placement) byPE() (start, ranks []int32) {
	start = make([]int32, len(p.time)+1)
	movable := p.m.movable()
	for _, r := range movable {
		start[p.pe[r]+1]++
	}
	for i := range p.time {
		start[i+1] += start[i]
	}
	next := slices.Clone(start)
	ranks = make([]int32, len(movable))
	for _, r := range movable {
		ranks[next[p.pe[r]]] = r
		next[p.pe[r]]++
	}
	return start, ranks
}

// newRand is the only source of chance: a fixed algorithm, so that a seed means the same everywhere. Streams of the same
// seed are independent.
func newRand(seed, stream uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, stream)) }
