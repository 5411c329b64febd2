package isomalloc

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func newHeap(t testing.TB, area Range) Heap {
	t.Helper()
	h, err := InitHeap(area, false)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// extentPages counts the pages of a range that the region holds.
func extentPages(t testing.TB, r *Region, in Range) int {
	t.Helper()
	ext, err := r.Extents(in.Lo, in.Hi)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, e := range ext {
		n += int(e.Len() / pageSize)
	}
	return n
}

func touch(addr uintptr, n uint64) {
	for at := uint64(0); at < n; at += pageSize {
		mem(addr+uintptr(at), 1)[0] = 1
	}
}

func TestInitTouchesLittle(t *testing.T) {
	r := newRegion(t, 0, 16<<30, 1)
	h := newHeap(t, r.Slice(0))
	if n := extentPages(t, r, r.Slice(0)); n > 1 {
		t.Errorf("an empty heap has %d pages", n)
	}
	h.Alloc(100)
	big := h.Alloc(8 << 30)
	if big == 0 {
		t.Fatal("no 8 GiB in a 16 GiB slice")
	}
	if n := extentPages(t, r, r.Slice(0)); n > 3 {
		t.Errorf("a heap with untouched blocks has %d pages", n)
	}
}

func TestInitRefusesSmallAreas(t *testing.T) {
	area := anonArea(t, 1<<20)
	for _, n := range []uintptr{0, 1, 4096, 8192} {
		if h, err := InitHeap(Range{area.Lo, area.Lo + n}, false); err == nil {
			t.Errorf("a heap of %d bytes: %v", n, h)
		}
	}
}

func TestCallocKeepsUntouchedPagesAway(t *testing.T) {
	r := newRegion(t, 0, 1<<30, 1)
	h := newHeap(t, r.Slice(0))
	h.Calloc(256 << 20)
	if n := extentPages(t, r, r.Slice(0)); n > 8 {
		t.Errorf("fresh calloc made %d pages", n)
	}
}

// A freed big block gives its pages back, wherever it lies and in both kinds of memory.
func TestFreeGivesPagesBack(t *testing.T) {
	for _, last := range []bool{true, false} {
		t.Run(fmt.Sprintf("shared/last=%v", last), func(t *testing.T) {
			r := newRegion(t, 0, 1<<30, 1)
			testPagesBack(t, r.Slice(0), last, func(in Range) int { return extentPages(t, r, in) })
		})
		t.Run(fmt.Sprintf("private/last=%v", last), func(t *testing.T) {
			testPagesBack(t, anonArea(t, 1<<30), last, func(in Range) int { return residentPages(t, in) })
		})
	}
}

func testPagesBack(t *testing.T, area Range, last bool, count func(Range) int) {
	const size = 40 << 20
	h := newHeap(t, area)
	p := h.Alloc(size)
	if !last {
		h.Alloc(5000)
	}
	touch(p, size)
	whole := Range{p &^ (pageSize - 1), p&^(pageSize-1) + size}
	if n := count(whole); n < size/pageSize {
		t.Fatalf("only %d pages touched", n)
	}
	h.Free(p)
	if n := count(whole); n > 2 {
		t.Errorf("%d pages left after free", n)
	}
	if st := h.Stats(); st.Released < size-2*pageSize || st.Touched > 1<<20 {
		t.Errorf("stats %+v", st)
	}
	if again := h.Calloc(size); again != p {
		t.Errorf("the freed place is not used again: %#x, %#x", p, again)
	}
	if n := count(whole); n > 4 {
		t.Errorf("calloc of returned pages makes %d", n)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

// A loop over the same arrays stops giving pages back and taking them again.
func TestSameArraysDoNotThrash(t *testing.T) {
	r := newRegion(t, 0, 1<<30, 1)
	h := newHeap(t, r.Slice(0))
	var released uint64
	for round := range 20 {
		a, b := h.Alloc(8<<20), h.Alloc(3<<20)
		touch(a, 8<<20)
		touch(b, 3<<20)
		h.Free(a)
		h.Free(b)
		if round == 5 {
			released = h.Stats().Released
		}
	}
	if now := h.Stats().Released; now != released {
		t.Errorf("%d bytes given back in the last rounds", now-released)
	}
	if n := h.Trim(); n < 10<<20 {
		t.Errorf("trim gave back %d bytes", n)
	}
	if n := extentPages(t, r, r.Slice(0)); n > 8 {
		t.Errorf("%d pages left after trim", n)
	}
}

// Small blocks go back too, once they are joined.
func TestTrimReturnsSmallBlocks(t *testing.T) {
	r := newRegion(t, 0, 1<<30, 1)
	h := newHeap(t, r.Slice(0))
	var all []uintptr
	for range 200_000 {
		all = append(all, h.Alloc(48))
	}
	for _, p := range all {
		h.Free(p)
	}
	h.Trim()
	if n := extentPages(t, r, r.Slice(0)); n > 8 {
		t.Errorf("%d pages left", n)
	}
	if st := h.Stats(); st.Used != 0 || st.Cached != 0 || st.Peak < 200_000*48 {
		t.Errorf("stats %+v", st)
	}
}

func TestReallocInPlace(t *testing.T) {
	h := newHeap(t, anonArea(t, 1<<30))
	p := h.Alloc(2000)
	if q := h.Realloc(p, 50_000_000); q != p {
		t.Errorf("growing into the wilderness moved %#x to %#x", p, q)
	}
	next := h.Alloc(100_000)
	fence := h.Alloc(100_000)
	if q := h.Realloc(p, 40_000_000); q != p {
		t.Error("shrinking moved")
	}
	if q := h.Realloc(p, 49_000_000); q != p {
		t.Error("growing back moved")
	}
	h.Free(next)
	if q := h.Realloc(p, 50_050_000); q != p {
		t.Error("growing into a freed neighbour moved")
	}
	if q := h.Realloc(p, 60_000_000); q == p || q == 0 || q < fence {
		t.Errorf("nowhere to grow, but %#x became %#x", p, q)
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

// Growing step by step copies rarely, and what growth held back is not lost.
func TestGrowingBuffers(t *testing.T) {
	h := newHeap(t, anonArea(t, 1<<30))
	a, b := h.Alloc(1), h.Alloc(1)
	moves := 0
	for size := uint64(4096); size <= 24<<20; size += 4096 {
		for _, p := range []*uintptr{&a, &b} {
			q := h.Realloc(*p, size)
			if q == 0 {
				t.Fatal("out of memory")
			}
			if q != *p && size > 1<<20 {
				moves++
			}
			*p = q
		}
	}
	if moves > 12 {
		t.Errorf("%d moves beyond 1 MiB", moves)
	}
	if h.Usable(a) < 24<<20 {
		t.Errorf("usable %d", h.Usable(a))
	}
	if p := h.Alloc(900 << 20); p == 0 {
		t.Errorf("reserves for growth keep others out: %+v", h.Stats())
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

func TestMapPartialUnmap(t *testing.T) {
	r := newRegion(t, 0, 1<<30, 1)
	h := newHeap(t, r.Slice(0))
	p := h.Map(10*pageSize - 5)
	if p == 0 || p+10*pageSize != r.Slice(0).Hi {
		t.Fatalf("first mapping at %#x", p)
	}
	touch(p, 10*pageSize)
	page := func(n int) uintptr { return p + uintptr(n)*pageSize }
	for _, cut := range []Range{{page(2), page(3)}, {page(5), page(7)}, {page(4), page(6)}, {page(9), page(10)}} {
		if err := h.Unmap(cut.Lo, cut.Len()); err != nil {
			t.Fatal(err)
		}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
	}
	expectExtents(t, r, Range{p, page(10)}, []Range{{page(0), page(2)}, {page(3), page(4)}, {page(7), page(9)}})
	if st := h.Stats(); st.Mapped != 5*pageSize {
		t.Errorf("mapped %d", st.Mapped)
	}
	if q := h.Map(3 * pageSize); q != page(4) {
		t.Errorf("the hole at %#x is not used, %#x is", page(4), q)
	}
	if q := h.Remap(page(7), 2*pageSize, 3*pageSize, false); q != page(7) {
		t.Errorf("growing into the free last page: %#x", q)
	}
	if q := h.Remap(page(3), pageSize, 9*pageSize, false); q != 0 {
		t.Errorf("growing over a neighbour: %#x", q)
	}
	mem(page(3), 1)[0] = 99
	q := h.Remap(page(3), pageSize, 9*pageSize, true)
	if q == 0 || q == page(3) || mem(q, 1)[0] != 99 {
		t.Errorf("moving: %#x", q)
	}
	for _, bad := range []Range{{p + 1, p + pageSize}, {r.Slice(0).Lo, r.Slice(0).Hi}, {p, p + pageSize*11}} {
		if h.Unmap(bad.Lo, bad.Len()) == nil {
			t.Errorf("unmapping %v", bad)
		}
	}
	if err := h.Unmap(q, uint64(r.Slice(0).Hi-q)); err != nil {
		t.Error(err)
	}
}

func TestMapAt(t *testing.T) {
	area := anonArea(t, 256<<20)
	h := newHeap(t, area)
	block := h.Alloc(1 << 20)
	at := area.Lo + 128<<20
	if !h.MapAt(at, 1<<20) {
		t.Fatal("a free place is refused")
	}
	touch(at, 1<<20)
	if !h.MapAt(at+pageSize, pageSize) || mem(at+pageSize, 1)[0] != 0 || mem(at, 1)[0] != 1 {
		t.Error("mapping over a mapping does not replace just that page")
	}
	if h.MapAt(block&^(pageSize-1), pageSize) || h.MapAt(at+1, pageSize) || h.MapAt(area.Hi-pageSize, 2*pageSize) {
		t.Error("a place that is not free is given")
	}
	if p := h.Alloc(130 << 20); p != 0 {
		t.Errorf("block %#x of 130 MiB below a mapping at 128 MiB", p)
	}
	if err := h.Unmap(at, 1<<20); err != nil {
		t.Fatal(err)
	}
	if p := h.Alloc(130 << 20); p == 0 {
		t.Error("the unmapped range is lost to blocks")
	}
	if err := h.Check(); err != nil {
		t.Error(err)
	}
}

// Pages the program protected are plain again after unmap.
func TestUnmapUnprotects(t *testing.T) {
	r := newRegion(t, 0, 1<<30, 1)
	h := newHeap(t, r.Slice(0))
	p := h.Map(4 * pageSize)
	if err := unix.Mprotect(bytesAt(p, p+pageSize), unix.PROT_NONE); err != nil {
		t.Fatal(err)
	}
	if err := h.Unmap(p, 4*pageSize); err != nil {
		t.Fatal(err)
	}
	if q := h.Map(4 * pageSize); q != p {
		t.Fatalf("%#x, %#x", p, q)
	}
	touch(p, 4*pageSize)
}

// Memory that blocks used, then mappings, then blocks again is zero where it must be.
func TestBlocksAndMappingsTakeTurns(t *testing.T) {
	r := newRegion(t, 0, 64<<20, 1)
	h := newHeap(t, r.Slice(0))
	for range 6 {
		p := h.Alloc(60 << 20)
		if p == 0 {
			t.Fatalf("no block: %+v", h.Stats())
		}
		touch(p, 60<<20)
		h.Free(p)
		q := h.Map(60 << 20)
		if q == 0 {
			t.Fatalf("no mapping: %+v", h.Stats())
		}
		for at := uintptr(0); at < 60<<20; at += pageSize {
			if *wordAt(q + at) != 0 {
				t.Fatalf("a mapping is not zero at %#x", q+at)
			}
		}
		touch(q, 60<<20)
		if err := h.Unmap(q, 60<<20); err != nil {
			t.Fatal(err)
		}
		if err := h.Check(); err != nil {
			t.Fatal(err)
		}
	}
}

// compile builds a C program of testdata together with the heap.
func compile(t testing.TB, name string) string {
	t.Helper()
	sources, err := filepath.Glob("heap*.c")
	if err != nil || len(sources) == 0 {
		t.Fatal(sources, err)
	}
	out := filepath.Join(t.TempDir(), strings.TrimSuffix(name, ".c"))
	args := append([]string{"-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-pthread", "-I..", "-o", out,
		filepath.Join("testdata", name)}, sources...)
	if text, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
		t.Fatalf("compile %s: %v\n%s", name, err, text)
	}
	return out
}

// The handlers, the limits of sizes, misuse and the lock are tested from C.
func TestHandlers(t *testing.T) {
	prog := compile(t, "handlers.c")
	if out, err := exec.Command(prog).CombinedOutput(); err != nil || len(out) != 0 {
		t.Errorf("%v\n%s", err, out)
	}
	out, err := exec.Command(prog, "abort").CombinedOutput()
	if err == nil || !strings.Contains(err.Error(), "aborted") || !strings.HasSuffix(string(out), ": block is free already\n") {
		t.Errorf("misuse without a handler: %v, %q", err, out)
	}
}

// BenchmarkBesideLibc runs the same work on the heap and on the C library's
// malloc; the ratio says how many times faster the heap is.
func BenchmarkBesideLibc(b *testing.B) {
	prog := compile(b, "bench.c")
	for _, work := range []string{"alloc_free_64", "mixed_16_512", "mixed_16_16k", "mixed_1k_1m", "mixed_1k_1m_used", "tree_nodes",
		"short_strings", "vector_doubling", "two_buffers_growing", "arrays_300k", "arrays_8m", "arrays_64m", "calloc_64", "calloc_100k", "realloc_small"} {
		b.Run(work, func(b *testing.B) {
			var name string
			var iso, libc float64
			for b.Loop() {
				out, err := exec.Command(prog, "3", work).Output()
				if err != nil {
					b.Fatal(err)
				}
				if _, err := fmt.Sscan(string(out), &name, &iso, &libc); err != nil {
					b.Fatalf("%v in %q", err, out)
				}
			}
			b.ReportMetric(0, "ns/op")
			b.ReportMetric(iso, "iso-ns")
			b.ReportMetric(libc, "libc-ns")
			b.ReportMetric(libc/iso, "speedup")
		})
	}
}
