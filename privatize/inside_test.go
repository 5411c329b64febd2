package privatize

import (
	"bytes"
	"debug/elf"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// alteredLibc is a copy of this machine's C library that a test has changed: it stands for those of other distributions.
type alteredLibc struct {
	t    *testing.T
	im   *image
	data []byte
}

// rename takes a symbol away.
func (a *alteredLibc) rename(name string) {
	a.t.Helper()
	i := bytes.Index(a.im.dyn.strtab, []byte("\x00"+name+"\x00"))
	if i < 0 {
		a.t.Skipf("this C library has no %s", name)
	}
	a.data[sliceOffset(a.im.data, a.im.dyn.strtab)+i+1] = '#'
}

// resize changes the size of a symbol.
func (a *alteredLibc) resize(name string, size uint64) {
	a.t.Helper()
	start := sliceOffset(a.im.data, a.im.dyn.symtab)
	for i := range a.im.dyn.lastNamed() {
		if s, ok := a.im.dyn.symbolAt(i); ok && a.im.dyn.strIs(uint64(s.name), name) {
			le.PutUint64(a.data[start+int(i)*symSize+16:], size)
		}
	}
}

// move changes the address of a symbol.
func (a *alteredLibc) move(name string, value uint64) {
	a.t.Helper()
	start := sliceOffset(a.im.data, a.im.dyn.symtab)
	for i := range a.im.dyn.lastNamed() {
		if s, ok := a.im.dyn.symbolAt(i); ok && a.im.dyn.strIs(uint64(s.name), name) {
			le.PutUint64(a.data[start+int(i)*symSize+8:], value)
		}
	}
}

// exchange swaps two relocated words.
func (a *alteredLibc) exchange(x, y uint64) {
	a.t.Helper()
	table := a.im.dyn.rela
	place := map[uint64]int{}
	for off := 0; off+relaSize <= len(table); off += relaSize {
		if rel := readRela(table[off:]); elf.R_X86_64(rel.typ) == elf.R_X86_64_RELATIVE && (rel.vaddr == x || rel.vaddr == y) {
			place[rel.vaddr] = sliceOffset(a.im.data, table) + off + 16
		}
	}
	for _, at := range []uint64{x, y} {
		if place[at] == 0 { // a packed relocation: the word is in its place
			w, ok := a.im.view(at, 8)
			if !ok {
				a.t.Fatalf("%#x is not in the file", at)
			}
			place[at] = sliceOffset(a.im.data, w)
		}
	}
	var keep [8]byte
	copy(keep[:], a.data[place[x]:])
	copy(a.data[place[x]:place[x]+8], a.data[place[y]:place[y]+8])
	copy(a.data[place[y]:], keep[:])
}

func (a *alteredLibc) value(name string) uint64 {
	a.t.Helper()
	s, ok := a.im.find(newQuery(name, ""))
	if !ok {
		a.t.Skipf("this C library has no %s", name)
	}
	return s.value
}

// loadAltered loads a program with such a copy in place of its C library.
func loadAltered(t *testing.T, alter func(a *alteredLibc)) (*Program, error) {
	t.Helper()
	prog := compile(t, "plain", "hello.c")
	libs, err := Resolve(prog, nil, stageABI)
	if err != nil {
		t.Fatal(err)
	}
	for i := range libs {
		if libs[i].Name != libcSoname {
			continue
		}
		data, err := os.ReadFile(libs[i].Path)
		if err != nil {
			t.Fatal(err)
		}
		im, err := parse(libs[i].Path, bytes.Clone(data))
		if err != nil {
			t.Fatal(err)
		}
		alter(&alteredLibc{t, im, data})
		libs[i].Path = filepath.Join(t.TempDir(), libcSoname)
		if err := os.WriteFile(libs[i].Path, data, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Load(prog, libs, options(t))
	if err == nil {
		t.Cleanup(func() { p.Close() })
	}
	return p, err
}

// TestInsideRefused takes away what ranks cannot do without: the refusal names it, and the C library.
func TestInsideRefused(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(a *alteredLibc)
		says  []string
	}{
		"early":   {func(a *alteredLibc) { a.rename("__libc_early_init") }, []string{"first function", "__libc_early_init"}},
		"ctype":   {func(a *alteredLibc) { a.rename("__ctype_init") }, []string{"start of character tables", "__ctype_init"}},
		"flush":   {func(a *alteredLibc) { a.rename("fflush") }, []string{"fflush"}},
		"read":    {func(a *alteredLibc) { a.rename("_IO_file_read") }, []string{"table of file operations", "_IO_file_read"}},
		"streams": {func(a *alteredLibc) { a.rename("_IO_file_jumps"); a.resize("_IO_2_1_stdout_", 0) }, []string{"table of file operations", "_IO_file_jumps", "stdout"}},
		"entries": {func(a *alteredLibc) {
			a.exchange(a.value("_IO_file_jumps")+14*8, a.value("_IO_wfile_jumps")+2*8)
			a.exchange(a.value("_IO_file_jumps")+15*8, a.value("_IO_wfile_jumps")+3*8)
		}, []string{"table of file operations", "not all in the table"}},
		"loader": {func(a *alteredLibc) { a.rename("_rtld_global_ro") }, []string{"names of the loader", "#rtld_global_ro", "/ld-"}},
		"data":   {func(a *alteredLibc) { a.move("__ctype_init", a.value("stdout")) }, []string{"__ctype_init is not code"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadAltered(t, c.alter)
			wantRefusal(t, err, OtherLibc, libcSoname, append(c.says, "glibc 2.")...)
		})
	}
}

// TestInsideFound takes away, or moves, what can be found in another way or done without, and runs the program.
func TestInsideFound(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(a *alteredLibc)
		check func(in *inside) bool
	}{
		"same":  {func(*alteredLibc) {}, func(in *inside) bool { return in.canMap && in.files.words == 18 && in.ctypeInit != 0 }},
		"jumps": {func(a *alteredLibc) { a.rename("_IO_file_jumps") }, func(in *inside) bool { return in.files.words == 18 }},
		"mmap":  {func(a *alteredLibc) { a.resize("mmap", 8) }, func(in *inside) bool { return !in.canMap }},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := loadAltered(t, c.alter)
			if err != nil {
				t.Fatal(err)
			}
			if !c.check(&p.inside) {
				t.Errorf("found %+v", p.inside)
			}
			runRanks(t, p, 2, ranksLine)
		})
	}
}

// TestInsideMoved moves what the C library would not work without, so that nothing is run.
func TestInsideMoved(t *testing.T) {
	for name, c := range map[string]struct {
		alter func(a *alteredLibc)
		check func(in *inside) bool
	}{
		"close": {func(a *alteredLibc) { at := a.value("_IO_file_jumps"); a.exchange(at+17*8, at+20*8) }, func(in *inside) bool { return in.files.words == 21 }},
		"alone": {func(a *alteredLibc) { a.move("__libc_single_threaded", a.value("__ctype_init")) }, func(in *inside) bool { return in.singleThreaded == 0 }},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := loadAltered(t, c.alter)
			if err != nil {
				t.Fatal(err)
			}
			if !c.check(&p.inside) {
				t.Errorf("found %+v", p.inside)
			}
		})
	}
}

// TestInsideOld is about a loader of before glibc 2.32, which does not know the first function.
func TestInsideOld(t *testing.T) {
	p := load(t, compile(t, "plain", "hello.c"))
	host := *p.host
	old := *host.im
	old.data = bytes.ReplaceAll(old.data, []byte("__libc_early_init"), []byte("__libc_early_xxxx"))
	host.im = &old
	none := *p.libc
	none.dyn.gnuHash, none.dyn.sysvHash = gnuHash{}, sysvHash{}
	l := &cLibrary{p: &Program{host: &host, libc: &none}, im: &none}
	if err := l.findEarlyInit(); err != nil || l.earlyInit != 0 {
		t.Errorf("found %#x, %v", l.earlyInit, err)
	}
	l.p.host = p.host
	if err := l.findEarlyInit(); (err == nil) == strings.Contains(string(p.host.im.data), "__libc_early_init") {
		t.Errorf("with this loader: %v", err)
	}
}
