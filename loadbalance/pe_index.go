package loadbalance

import (
	"math"
	"slices"
)

// peIndex finds the PE on which a rank would end soonest. PEs of (nearly) the same speed share a heap, so that a question
// costs as many comparisons as there are speeds, and a change O(log P).
type peIndex struct {
	p     *placement
	heaps []*peHeap
	class []int32 // index in heaps of each PE
}

// maxClasses bounds the heaps of a peIndex; with more speeds than that, those within 1.6 % share one.
const maxClasses = 64

func newPEIndex(p *placement) *peIndex {
	speeds, class := speedClasses(p.m.PEs)
	members := make([][]int32, speeds)
	for pe, c := range class {
		members[c] = append(members[c], int32(pe))
	}
	f := &peIndex{p: p, class: class}
	at := make([]int32, len(p.m.PEs))
	for _, pes := range members {
		f.heaps = append(f.heaps, newHeap(p.time, 1, pes, at))
	}
	return f
}

// speedClasses numbers the speeds that occur.
func speedClasses(pes []PE) (count int, class []int32) {
	class = make([]int32, len(pes))
	for _, key := range []func(float64) float64{
		func(s float64) float64 { return s },
		func(s float64) float64 { return math.Floor(math.Log2(s) * 44) },
	} {
		count = numberClasses(pes, class, key)
		if count <= maxClasses {
			break
		}
	}
	return count, class
}

func numberClasses(pes []PE, class []int32, key func(float64) float64) int {
	number := map[float64]int32{}
	for p := range pes {
		k := key(pes[p].Speed)
		c, ok := number[k]
		if !ok {
			c = int32(len(number))
			number[k] = c
		}
		class[p] = c
	}
	return len(number)
}

// lightest is the PE with the least time, whatever its speed.
func (f *peIndex) lightest() int32 {
	best := f.heaps[0].top()
	for _, h := range f.heaps[1:] {
		if p := h.top(); f.p.time[p] < f.p.time[best] {
			best = p
		}
	}
	return best
}

// soonest is the PE on which work of the given seconds would end first, and when.
func (f *peIndex) soonest(load float64) (pe int32, end float64) {
	end = math.Inf(1)
	for _, h := range f.heaps {
		p := h.top()
		if t := f.p.time[p] + load/f.p.m.PEs[p].Speed; t < end {
			pe, end = p, t
		}
	}
	return pe, end
}

// changed is called after the time of a PE changed.
func (f *peIndex) changed(pe int32) { f.heaps[f.class[pe]].fix(pe) }

// lightestFew lists up to k PEs with little time: the k smallest of each heap, merged.
func (f *peIndex) lightestFew(k int) []int32 {
	var few []int32
	for _, h := range f.heaps {
		few = append(few, h.smallest(k)...)
	}
	slices.SortFunc(few, func(a, b int32) int {
		switch x, y := f.p.time[a], f.p.time[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return int(a - b)
	})
	return few[:min(k, len(few))]
}

// smallest lists the k topmost PEs of a heap: a search from the top that looks at 4k places.
func (h *peHeap) smallest(k int) (few []int32) {
	frontier := []int{0}
	for len(few) < k && len(frontier) > 0 {
		best := 0
		for i, place := range frontier {
			if h.less(h.pes[place], h.pes[frontier[best]]) {
				best = i
			}
		}
		place := frontier[best]
		frontier = slices.Delete(frontier, best, best+1)
		few = append(few, h.pes[place])
		for c := 4*place + 1; c < min(4*place+5, len(h.pes)); c++ {
			frontier = append(frontier, c)
		}
	}
	return few
}
