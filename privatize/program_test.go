package privatize

import (
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"ampirun/privatize/internal/stage"
)

// TestAnywhere places images at an odd place in private memory, outside any slice, as the method none does.
func TestAnywhere(t *testing.T) {
	p := load(t, compile(t, "hello", "hello.c"))
	mem, err := syscall.Mmap(-1, 0, int(p.Span()), syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		t.Fatal(err)
	}
	base := addressOf(mem)
	if err := p.Instance(base); err != nil {
		t.Fatal(err)
	}
	for _, at := range p.internal {
		if v := *word(base + uintptr(at)); v < uint64(base) || v > uint64(base)+p.Span() {
			t.Fatalf("word %#x is %#x, outside the images", at, v)
		}
	}
	if err := p.Detach(base, Backing{FD: -1}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Munmap(mem); err != nil {
		t.Fatal(err)
	}
}

// TestRangesTile checks that shared and private parts do not overlap, stay inside the span, and agree with Writable.
func TestRangesTile(t *testing.T) {
	p := load(t, compile(t, "cxx", "cxx.cc"))
	ranges := p.Ranges()
	slices.SortFunc(ranges, func(a, b Range) int { return int(a.Offset) - int(b.Offset) })
	var end uint64
	for _, r := range ranges {
		if r.Offset < end || r.Offset+r.Size > p.Span() || r.Size == 0 {
			t.Errorf("range %+v overlaps or leaves the area of %d bytes", r, p.Span())
		}
		if end = r.Offset + r.Size; p.Writable(r.Offset, r.Size) == (r.Shared || r.OnWrite) {
			t.Errorf("Writable disagrees with %+v", r)
		}
	}
	if p.Writable(p.Span(), 1) || p.Writable(0, p.Span()+1) {
		t.Error("memory outside the area is writable")
	}
	if _, ok := p.Symbol("no_such_symbol"); ok {
		t.Error("a symbol nobody defines is found")
	}
}

// TestDetachKeepsImages lets go of a rank's read-only segments and takes the rank back.
func TestDetachKeepsImages(t *testing.T) {
	p := load(t, compile(t, "hello", "-O1", "hello.c"))
	ranks, f := mapSlices(t, 2)
	dir := t.TempDir()
	for i, s := range ranks {
		start(t, p, s, fmt.Sprint(i), filepath.Join(dir, fmt.Sprint(i)))
	}
	s := ranks[1]
	if done, code := s.Resume(); done {
		t.Fatalf("ended early with %d", code)
	}
	b := Backing{FD: int(f.Fd()), Offset: int64(s.Images() - testBase)}
	if err := p.Detach(s.Images(), b); err != nil {
		t.Fatal(err)
	}
	if got := stage.Memory(s.Images(), 4); string(got) == "\x7fELF" {
		t.Error("the program's first page is still mapped")
	}
	if err := p.Attach(s.Images()); err != nil {
		t.Fatal(err)
	}
	if codes := finish(ranks); codes[0] != 40 || codes[1] != 41 {
		t.Errorf("ranks ended with %v", codes)
	}
}

// TestMisalignedBase is the caller's mistake, not a crash.
func TestMisalignedBase(t *testing.T) {
	p := load(t, compile(t, "hello", "hello.c"))
	if err := p.Instance(testBase + 8); err == nil {
		t.Error("Instance takes a base inside a page")
	}
	if err := p.Attach(testBase + 8); err == nil {
		t.Error("Attach takes a base inside a page")
	}
}

// TestAddress asks as dlsym does.
func TestAddress(t *testing.T) {
	p := load(t, compile(t, "prog", "-rdynamic", "-O1", "hello.c"))
	ranks, _ := mapSlices(t, 1)
	base := ranks[0].Images()
	if err := p.Instance(base); err != nil {
		t.Fatal(err)
	}
	inside := func(a uintptr) bool { return a >= base && a < base+uintptr(p.Span()) }
	find := func(name, version string, next bool) (uintptr, bool) {
		f, ok := p.Address(base, Sought{Name: name, Version: version, Next: next, Caller: uint64(p.Entry(base).Main - base)})
		return f.Address, ok
	}
	main, ok := find("main", "", false)
	if !ok || main != p.Entry(base).Main {
		t.Errorf("main is at %#x, %v", main, ok)
	}
	if a, ok := find("strlen", "", false); !ok || !inside(a) || a == base+uintptr(p.libc.bias) {
		t.Errorf("strlen is at %#x, %v", a, ok)
	}
	if a, _ := find("malloc", "", false); a != p.opts.Bind["malloc"] {
		t.Errorf("malloc is at %#x, not the runtime's", a)
	}
	if a, ok := find("local", "", false); !ok || a >= p.opts.TLSTop || a < p.opts.TLSTop-uintptr(p.TLSSize()) {
		t.Errorf("the thread-local variable is at %#x, %v", a, ok)
	}
	if _, ok := find("main", "", true); ok {
		t.Error("main is found behind the program")
	}
	old, ok1 := find("memcpy", "GLIBC_2.2.5", false)
	now, ok2 := find("memcpy", "GLIBC_2.14", false)
	if !ok1 || !ok2 || !inside(old) || !inside(now) {
		t.Errorf("memcpy's versions are at %#x and %#x", old, now)
	}
}
