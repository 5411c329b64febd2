package loadbalance

// peHeap is a 4-ary heap of PEs with the smallest key on top; a PE's place is known, so its key can change. Equal keys
// are ordered by PE, which makes what strategies decide independent of how the heap came about.
type peHeap struct {
	key  []float64 // of each PE; belongs to the owner, who calls fix after a change
	sign float64   // 1 for the smallest on top, -1 for the largest
	pes  []int32
	at   []int32 // place of each PE in pes, or nowhere
}

// newHeap makes a heap of some PEs; sign -1 puts the largest key on top. at may be shared by heaps of disjoint PEs.
func newHeap(key []float64, sign float64, pes, at []int32) *peHeap {
	h := &peHeap{key: key, sign: sign, pes: pes, at: at}
	for i, p := range pes {
		at[p] = int32(i)
	}
	for i := len(pes)/4 + 1; i >= 0; i-- {
		h.down(i)
	}
	return h
}

// newHeapOfAll makes a heap of all PEs that have a key.
func newHeapOfAll(key []float64, sign float64) *peHeap {
	pes := make([]int32, len(key))
	for p := range pes {
		pes[p] = int32(p)
	}
	return newHeap(key, sign, pes, make([]int32, len(key)))
}

func (h *peHeap) less(a, b int32) bool {
	x, y := h.key[a]*h.sign, h.key[b]*h.sign
	return x < y || x == y && a < b
}

// top is the PE on top.
func (h *peHeap) top() int32 { return h.pes[0] }

// fix puts a PE whose key changed where it belongs.
func (h *peHeap) fix(p int32) {
	if i := h.at[p]; i != nowhere {
		h.down(h.up(int(i)))
	}
}

// remove takes a PE out.
func (h *peHeap) remove(p int32) {
	i, last := int(h.at[p]), len(h.pes)-1
	moved := h.pes[last]
	h.pes = h.pes[:last]
	h.at[p] = nowhere
	if i < last {
		h.pes[i] = moved
		h.at[moved] = int32(i)
		h.down(h.up(i))
	}
}

func (h *peHeap) up(i int) int {
	p := h.pes[i]
	for i > 0 {
		parent := (i - 1) / 4
		if !h.less(p, h.pes[parent]) {
			break
		}
		h.set(i, h.pes[parent])
		i = parent
	}
	h.set(i, p)
	return i
}

func (h *peHeap) down(i int) {
	if i >= len(h.pes) {
		return
	}
	p := h.pes[i]
	for {
		child := h.smallestChild(i)
		if child < 0 || !h.less(h.pes[child], p) {
			break
		}
		h.set(i, h.pes[child])
		i = child
	}
	h.set(i, p)
}

func (h *peHeap) smallestChild(i int) int {
	first := 4*i + 1
	if first >= len(h.pes) {
		return -1
	}
	best := first
	for c := first + 1; c < min(first+4, len(h.pes)); c++ {
		if h.less(h.pes[c], h.pes[best]) {
			best = c
		}
	}
	return best
}

func (h *peHeap) set(i int, p int32) {
	h.pes[i] = p
	h.at[p] = int32(i)
}
