package loadbalance

import (
	"cmp"
	"slices"
)

// Quality says how good a mapping is, before anything of it has run.
type Quality struct {
	Makespan  float64 // seconds of the PE that takes longest
	Mean      float64 // seconds, mean of all PEs
	Imbalance float64 // Makespan / Mean; 1 is perfect, 1 also where nobody works

	Moves      int   // ranks that are elsewhere than they were
	MovedBytes int64 // their memory

	CutMessages, CutBytes   int64 // traffic between PEs
	NodeMessages, NodeBytes int64 // the part of it that leaves a node
}

// Evaluate works out the quality of a mapping (PE of each rank).
func (m *Measurements) Evaluate(mapping []int32) (q Quality) {
	for p, t := range m.times(mapping) {
		q.Makespan = max(q.Makespan, t)
		q.Mean += (t - q.Mean) / float64(p+1)
	}
	q.Imbalance = 1
	if q.Mean > 0 {
		q.Imbalance = q.Makespan / q.Mean
	}
	for r := range m.Ranks {
		if mapping[r] != m.Ranks[r].PE {
			q.Moves++
			q.MovedBytes += m.Ranks[r].Memory
		}
	}
	m.Graph.Edges(func(e Edge) { q.count(e, m.PEs, mapping[e.From], mapping[e.To]) })
	return q
}

func (q *Quality) count(e Edge, pes []PE, from, to int32) {
	if from == to {
		return
	}
	q.CutMessages += e.Messages
	q.CutBytes += e.Bytes
	if pes[from].Node != pes[to].Node {
		q.NodeMessages += e.Messages
		q.NodeBytes += e.Bytes
	}
}

// times is how long each PE takes under a mapping.
func (m *Measurements) times(mapping []int32) []float64 {
	times := make([]float64, len(m.PEs))
	for r, p := range mapping {
		times[p] += m.Ranks[r].Load
	}
	for p := range times {
		times[p] = times[p]/m.PEs[p].Speed + m.PEs[p].Background
	}
	return times
}

// Level is the time at which all PEs would end if work could be divided at will: no mapping has a smaller makespan. PEs
// whose background load is above it get nothing.
func (m *Measurements) Level() float64 {
	work := 0.0
	for r := range m.Ranks {
		work += m.Ranks[r].Load
	}
	order := make([]int32, len(m.PEs))
	for p := range order {
		order[p] = int32(p)
	}
	slices.SortFunc(order, func(a, b int32) int { return cmp.Compare(m.PEs[a].Background, m.PEs[b].Background) })
	level, speed, filled := 0.0, 0.0, 0.0
	for i, p := range order {
		if i > 0 && level <= m.PEs[p].Background {
			break
		}
		speed += m.PEs[p].Speed
		filled += m.PEs[p].Speed * m.PEs[p].Background
		level = (work + filled) / speed
	}
	return level
}

// Bound is the makespan that refining promises for any input: no more than tolerance times the level, or than the level
// and the largest movable rank on the slowest PE, or than what a PE carries that cannot move. It is Graham's bound for
// list scheduling with pinned ranks, background load and unequal speeds put in.
func (m *Measurements) Bound(tolerance float64) float64 {
	level, largest, slowest := m.Level(), 0.0, m.PEs[0].Speed
	fixed := make([]float64, len(m.PEs))
	for r := range m.Ranks {
		if rank := &m.Ranks[r]; rank.Pinned {
			fixed[rank.PE] += rank.Load
		} else {
			largest = max(largest, rank.Load)
		}
	}
	bound := 0.0
	for p, pe := range m.PEs {
		slowest = min(slowest, pe.Speed)
		bound = max(bound, fixed[p]/pe.Speed+pe.Background)
	}
	return max(bound, level*tolerance, level+largest/slowest)
}
