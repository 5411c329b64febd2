package privatize

import (
	"debug/elf"
	"path/filepath"
	"strings"
	"testing"
)

const locateBase = 0x300000000000

// staticAddress is the offset from base of the symbol whose name contains part.
func staticAddress(t *testing.T, p *Program, part string) uintptr {
	t.Helper()
	f, err := elf.Open(p.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	syms, err := f.Symbols()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range syms {
		if s.Section != elf.SHN_UNDEF && strings.Contains(s.Name, part) && elf.ST_TYPE(s.Info) == elf.STT_FUNC {
			return uintptr(p.images[0].bias + s.Value)
		}
	}
	t.Fatalf("no function %s", part)
	return 0
}

func TestLocateSource(t *testing.T) {
	p := load(t, compile(t, "locate", "-g", "-O0", "locate.cc"))
	for _, c := range []struct {
		symbol, function string
		lines            []int
	}{
		{"4step", "step", []int{8, 9, 10, 11}},
		{"helper", "helper", []int{14, 15, 16, 17}},
		{"main", "main", []int{19, 20, 21, 22, 23}},
	} {
		at := locateBase + staticAddress(t, p, c.symbol) + 8
		l, ok := p.Locate(locateBase, at)
		if !ok || l.Function != c.function || filepath.Base(l.File) != "locate.cc" || l.Offset != 8 {
			t.Errorf("%s is located at %+v, %v", c.symbol, l, ok)
		}
		if l.Line < c.lines[0] || l.Line > c.lines[len(c.lines)-1] {
			t.Errorf("%s+8 is in line %d, want one of %v", c.symbol, l.Line, c.lines)
		}
	}
}

func TestLocateFortran(t *testing.T) {
	p := load(t, compile(t, "locate", "-g", "fortran.f90"))
	l, ok := p.Locate(locateBase, locateBase+staticAddress(t, p, "tick_")+4)
	if !ok || l.Function != "tick" || filepath.Base(l.File) != "fortran.f90" || l.Line < 9 || l.Line > 14 {
		t.Errorf("tick is located at %+v, %v", l, ok)
	}
}

// TestLocateLibrary names functions of a library without debug information from its symbols.
func TestLocateLibrary(t *testing.T) {
	p := load(t, compile(t, "locate", "-s", "locate.cc"))
	s, ok := p.libc.find(newQuery("qsort_r", ""))
	if !ok {
		t.Fatal("libc has no qsort_r")
	}
	l, ok := p.Locate(locateBase, locateBase+uintptr(p.libc.bias+s.value)+2)
	if !ok || l.Object != libcSoname || !strings.Contains(l.Function, "qsort_r") || l.Offset != 2 {
		t.Errorf("qsort_r is located at %+v, %v", l, ok)
	}
	if l, ok := p.Locate(locateBase, locateBase-1); ok {
		t.Errorf("an address before the images is located at %+v", l)
	}
	if l, ok := p.Locate(locateBase, locateBase+uintptr(p.Span())); ok {
		t.Errorf("an address after the images is located at %+v", l)
	}
}
