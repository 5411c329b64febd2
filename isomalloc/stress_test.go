package isomalloc

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// model drives a heap with random calls and knows what must be true of it: each
// block keeps its bytes, none overlaps another, all are aligned.
type model struct {
	t      *testing.T
	heap   Heap
	rng    *rand.Rand
	blocks []block
	seq    uint64
}

type block struct {
	addr  uintptr
	size  uint64
	seed  uint64
	pages bool // a mapping
}

// touched bytes of a block: its ends, or all of it when it is small.
func (b block) edges() []Range {
	const edge = 256
	if b.size <= 2*edge {
		return []Range{{b.addr, b.addr + uintptr(b.size)}}
	}
	end := b.addr + uintptr(b.size)
	return []Range{{b.addr, b.addr + edge}, {end - edge, end}}
}

func pattern(seed uint64, addr uintptr) byte {
	return byte((seed*0x9E3779B97F4A7C15 + uint64(addr)*0xBF58476D1CE4E5B9) >> 56)
}

// The pattern goes by the offset in the block, for blocks move.
func (m *model) fill(b block) {
	for _, r := range b.edges() {
		bytes := mem(r.Lo, r.Len())
		for i := range bytes {
			bytes[i] = pattern(b.seed, r.Lo-b.addr+uintptr(i))
		}
	}
}

func (m *model) verify(b block, n uint64) {
	m.t.Helper()
	for _, r := range b.edges() {
		if uint64(r.Lo-b.addr) >= n {
			continue
		}
		for i, got := range mem(r.Lo, min(r.Len(), n-uint64(r.Lo-b.addr))) {
			off := r.Lo - b.addr + uintptr(i)
			if got != pattern(b.seed, off) {
				m.t.Fatalf("block %#x of %d bytes: byte %d is %#x, want %#x", b.addr, b.size, off, got, pattern(b.seed, off))
			}
		}
	}
}

func (m *model) size() uint64 {
	switch k := m.rng.IntN(100); {
	case k < 60:
		return uint64(m.rng.IntN(300))
	case k < 85:
		return uint64(m.rng.IntN(5000))
	case k < 97:
		return uint64(m.rng.IntN(200_000))
	default:
		return uint64(m.rng.IntN(3_000_000))
	}
}

func (m *model) add(addr uintptr, size uint64, align uintptr, pages bool) {
	m.t.Helper()
	if addr == 0 {
		return
	}
	if addr%align != 0 {
		m.t.Fatalf("block %#x is not aligned to %d", addr, align)
	}
	if !m.heap.Owns(addr) || size > 0 && !m.heap.Owns(addr+uintptr(size)-1) {
		m.t.Fatalf("block %#x of %d bytes leaves the area", addr, size)
	}
	m.seq++
	b := block{addr, size, m.seq, pages}
	m.fill(b)
	m.blocks = append(m.blocks, b)
}

func (m *model) zeroed(addr uintptr, size uint64) {
	m.t.Helper()
	if addr == 0 {
		return
	}
	for i, v := range mem(addr, size) {
		if v != 0 {
			m.t.Fatalf("fresh block %#x of %d bytes: byte %d is %#x", addr, size, i, v)
		}
	}
}

func (m *model) drop(i int) block {
	b := m.blocks[i]
	m.blocks[i] = m.blocks[len(m.blocks)-1]
	m.blocks = m.blocks[:len(m.blocks)-1]
	return b
}

func (m *model) free(i int) {
	m.t.Helper()
	b := m.drop(i)
	m.verify(b, b.size)
	if !b.pages {
		m.heap.Free(b.addr)
		return
	}
	if err := m.heap.Unmap(b.addr, b.size); err != nil {
		m.t.Fatal(err)
	}
}

func (m *model) resize(i int) {
	m.t.Helper()
	b := m.blocks[i]
	size := m.size()
	if m.rng.IntN(2) == 0 {
		size = b.size + uint64(m.rng.IntN(2000))
	}
	to := uintptr(0)
	if b.pages {
		size = max(pageUp(size), pageSize)
		to = m.heap.Remap(b.addr, b.size, size, m.rng.IntN(4) != 0)
	} else {
		to = m.heap.Realloc(b.addr, size)
	}
	if to == 0 {
		m.verify(b, b.size)
		return
	}
	m.drop(i)
	moved := block{to, b.size, b.seed, b.pages}
	m.verify(moved, min(size, b.size))
	m.add(to, size, 16, b.pages)
}

func pageUp(n uint64) uint64 { return (n + pageSize - 1) &^ (pageSize - 1) }

// unmapPart cuts a mapping in up to two pieces.
func (m *model) unmapPart(i int) {
	m.t.Helper()
	b := m.blocks[i]
	if !b.pages || b.size < 2*pageSize {
		return
	}
	pages := int(b.size / pageSize)
	from := m.rng.IntN(pages)
	count := 1 + m.rng.IntN(pages-from)
	lo := b.addr + uintptr(from*pageSize)
	hi := lo + uintptr(count*pageSize)
	if err := m.heap.Unmap(lo, uint64(hi-lo)); err != nil {
		m.t.Fatal(err)
	}
	m.drop(i)
	m.add2(b.addr, lo)
	m.add2(hi, b.addr+uintptr(b.size))
}

func (m *model) add2(lo, hi uintptr) {
	m.t.Helper()
	if lo < hi {
		m.add(lo, uint64(hi-lo), pageSize, true)
	}
}

func (m *model) step() {
	m.t.Helper()
	k := m.rng.IntN(100)
	size := m.size()
	if len(m.blocks) > 0 && k >= 55 {
		i := m.rng.IntN(len(m.blocks))
		switch {
		case k < 83:
			m.free(i)
		case k < 95:
			m.resize(i)
		default:
			m.unmapPart(i)
		}
		return
	}
	switch {
	case k < 35:
		m.add(m.heap.Alloc(size), size, 16, false)
	case k < 43:
		p := m.heap.Calloc(size)
		m.zeroed(p, size)
		m.add(p, size, 16, false)
	case k < 50:
		align := uint64(1) << m.rng.IntN(18)
		m.add(m.heap.Memalign(align, size), size, uintptr(align), false)
	default:
		size = max(pageUp(size), pageSize)
		p := m.heap.Map(size)
		m.zeroed(p, size)
		m.add(p, size, pageSize, true)
	}
}

func (m *model) check(when string) {
	m.t.Helper()
	if err := m.heap.Check(); err != nil {
		m.t.Fatalf("%s: %v", when, err)
	}
	for i, a := range m.blocks {
		m.verify(a, a.size)
		if usable := a.size; !a.pages && m.heap.Usable(a.addr) < usable {
			m.t.Fatalf("block %d: usable %d of %d", i, m.heap.Usable(a.addr), usable)
		}
	}
}

func testStress(t *testing.T, area Range, check, lock bool, seed uint64) {
	h, err := InitHeap(area, check)
	if err != nil {
		t.Fatal(err)
	}
	h.Lock(lock)
	m := &model{t: t, heap: h, rng: rand.New(rand.NewPCG(seed, 1))}
	for batch := range 40 {
		for range 500 {
			m.step()
		}
		m.check(fmt.Sprintf("batch %d", batch))
		if batch%10 == 9 {
			h.Trim()
			m.check("trim")
		}
		for batch%13 == 12 && len(m.blocks) > 0 {
			m.free(m.rng.IntN(len(m.blocks)))
		}
	}
	for len(m.blocks) > 0 {
		m.free(0)
	}
	m.check("end")
	st := h.Stats()
	if !check && (st.Used != 0 && st.Used > 1<<17) || st.Mapped != 0 {
		t.Errorf("all is free, but %+v", st)
	}
}

func TestStress(t *testing.T) {
	for _, size := range []uint64{8 << 20, 1 << 30} {
		for _, check := range []bool{false, true} {
			for seed := range uint64(3) {
				t.Run(fmt.Sprintf("private/%s/check=%v/seed%d", formatBytes(size), check, seed), func(t *testing.T) {
					testStress(t, anonArea(t, size), check, seed == 2, seed)
				})
			}
		}
	}
}

func TestStressShared(t *testing.T) {
	r := newRegion(t, 0, 256<<20, 2)
	for i, check := range []bool{false, true} {
		t.Run(fmt.Sprintf("check=%v", check), func(t *testing.T) {
			testStress(t, r.Slice(i), check, false, 7)
		})
	}
}
