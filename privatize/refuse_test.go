package privatize

import (
	"bytes"
	"debug/elf"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tryLoad resolves and loads and returns the first error.
func tryLoad(t testing.TB, prog string) error {
	t.Helper()
	libs, err := Resolve(prog, nil, stageABI)
	if err != nil {
		return err
	}
	p, err := Load(prog, libs, options(t))
	if err == nil {
		p.Close()
	}
	return err
}

// wantRefusal checks reason, that the line names the file, and that it says a way out.
func wantRefusal(t *testing.T, err error, reason Reason, file string, words ...string) {
	t.Helper()
	var r *Refusal
	if !errors.As(err, &r) {
		t.Fatalf("got %v, want a refusal: %s", err, reason)
	}
	if r.Reason != reason {
		t.Errorf("refused as %q, want %q: %v", r.Reason, reason, err)
	}
	for _, w := range append(words, filepath.Base(file), r.Way) {
		if w == "" || !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
	if strings.ContainsAny(err.Error(), "\n") {
		t.Errorf("refusal %q is not one line", err)
	}
}

func TestRefuseBuilds(t *testing.T) {
	for _, c := range []struct {
		name   string
		args   []string
		reason Reason
		words  []string
	}{
		{"nopie", []string{"-no-pie", "plain.c"}, NotPIE, []string{"ampicc", "-fPIE -pie"}},
		{"static", []string{"-static", "plain.c"}, Static, []string{"-static"}},
		{"staticpie", []string{"-static-pie", "plain.c"}, Static, nil},
		{"object.o", []string{"-c", "plain.c"}, NotProgram, nil},
		{"library.so", []string{"-shared", "-fPIC", "plain.c"}, NotProgram, []string{"shared library"}},
		{"unresolved", []string{"-rdynamic", "-Wl,--unresolved-symbols=ignore-all", "unresolved.c"}, Unresolved, []string{"_this", "1 more"}},
		{"bigtls", []string{"bigtls.c"}, TLSTooLarge, []string{"1000", "65536"}},
		{"loader", []string{"-Wl,--dynamic-linker=/lib/ld-other.so.1", "plain.c"}, OtherLoader, []string{"/lib/ld-other.so.1"}},
		{"textrel", []string{"-fno-pic", "-mcmodel=large", "-pie", "-Wl,-z,notext", "plain.c"}, TextRelocation, []string{"-fPIC"}},
		{"asan", []string{"-fsanitize=address", "plain.c"}, Sanitizer, []string{"-fsanitize"}},
		{"tsan", []string{"-fsanitize=thread", "plain.c"}, Sanitizer, nil},
		{"asanstatic", []string{"-fsanitize=address", "-static-libasan", "plain.c"}, Sanitizer, []string{"__asan_init"}},
		{"nolibc", []string{"-nostdlib", "-Wl,-e,main", "plain.c"}, OtherLibc, []string{"libc.so.6"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			prog := compile(t, c.name, c.args...)
			wantRefusal(t, tryLoad(t, prog), c.reason, c.name, c.words...)
		})
	}
}

func TestRefuseMissingLibrary(t *testing.T) {
	dir := t.TempDir()
	compile(t, filepath.Join(dir, "libgone.so"), "-shared", "-fPIC", "-Wl,-soname,libgone.so.3", "user_lib.c")
	prog := compile(t, filepath.Join(dir, "prog"), "user_main.c", "-L"+dir, "-lgone")
	wantRefusal(t, tryLoad(t, prog), MissingLibrary, "prog", "libgone.so.3", "LD_LIBRARY_PATH")
}

// TestRefuseFiles damages a good program in one place each.
func TestRefuseFiles(t *testing.T) {
	good, err := os.ReadFile(compile(t, "good", "plain.c"))
	if err != nil {
		t.Fatal(err)
	}
	set := func(off int, b ...byte) func([]byte) []byte {
		return func(f []byte) []byte { copy(f[off:], b); return f }
	}
	cut := func(n int) func([]byte) []byte { return func(f []byte) []byte { return f[:n] } }
	for _, c := range []struct {
		name   string
		damage func([]byte) []byte
		reason Reason
	}{
		{"empty", cut(0), NotELF},
		{"text", func([]byte) []byte { return []byte("hello\n") }, NotELF},
		{"script", func([]byte) []byte { return []byte("#!/bin/sh\nexec ./prog\n") }, Script},
		{"cut-header", cut(40), Malformed},
		{"cut-phdrs", cut(100), Malformed},
		{"cut-data", cut(0x2e00), Malformed},
		{"32-bit", set(elf.EI_CLASS, byte(elf.ELFCLASS32)), WrongClass},
		{"big-endian", set(elf.EI_DATA, byte(elf.ELFDATA2MSB)), WrongOrder},
		{"arm", set(18, byte(elf.EM_AARCH64), 0), WrongMachine},
		{"core", set(16, byte(elf.ET_CORE)), NotProgram},
		{"phoff", set(32, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff), Malformed},
		{"phnum", set(56, 0xff, 0xff), Malformed},
		{"phentsize", set(54, 1), Malformed},
		{"no-phdrs", set(56, 0, 0), Malformed},
		{"load-order", swapLoads, Malformed},
		{"load-overlap", patchLoad(1, 16, 0), Malformed},
		{"load-huge", patchLoad(3, 40, 1<<60), Malformed},
		{"load-offset", patchLoad(1, 8, 1<<63), Malformed},
		{"load-align", patchLoad(1, 48, 3), Malformed},
		{"load-page", patchLoad(1, 8, 0x1008), Malformed},
		{"filesz", patchLoad(3, 32, 1<<40), Malformed},
		{"strsz", patchDyn(elf.DT_STRSZ, 1<<40), Malformed},
		{"symtab", patchDyn(elf.DT_SYMTAB, 1<<50), Malformed},
		{"syment", patchDyn(elf.DT_SYMENT, 16), Malformed},
		{"relasz", patchDyn(elf.DT_RELASZ, 1<<40), Malformed},
		{"relaent", patchDyn(elf.DT_RELAENT, 7), Malformed},
		{"needed", patchDyn(elf.DT_NEEDED, 1<<33), Malformed},
		{"gnuhash", patchDyn(elf.DT_GNU_HASH, 1<<44), Malformed},
		{"initarray", patchDyn(elf.DT_INIT_ARRAY, 1<<44), Malformed},
		{"initarraysz", patchDyn(elf.DT_INIT_ARRAYSZ, 1<<44), Malformed},
		{"init", patchDyn(elf.DT_INIT, 1<<44), Malformed},
		{"verneed", patchDyn(elf.DT_VERNEED, 1<<44), Malformed},
		{"rela-outside", patchRela(0, 1<<44), Malformed},
		{"rela-text", patchRela(0, 0x1000), TextRelocation},
		{"rela-type", patchRela(8, uint64(elf.R_X86_64_PC32)), UnknownReloc},
		{"rela-symbol", patchRela(8, 1<<56|uint64(elf.R_X86_64_64)), Malformed},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "prog-"+c.name)
			if err := os.WriteFile(path, c.damage(bytes.Clone(good)), 0o755); err != nil {
				t.Fatal(err)
			}
			_, err := Load(path, libcOnly(t), options(t))
			wantRefusal(t, err, c.reason, path)
		})
	}
}

func TestRefuseDirectory(t *testing.T) {
	dir := t.TempDir()
	_, err := Resolve(dir, nil, nil)
	wantRefusal(t, err, NotELF, dir)
	if _, err := Resolve(filepath.Join(dir, "absent"), nil, nil); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a program that does not exist gives %v", err)
	}
}

// libcOnly is the library list of a plain C program: damaged programs cannot be asked for theirs.
func libcOnly(t *testing.T) []Library {
	t.Helper()
	return []Library{{libcSoname, hostLibc()}}
}

// loadHeaders returns the offsets of the PT_LOAD headers in a file.
func loadHeaders(f []byte) []int {
	var at []int
	for i := 0; i < int(le.Uint16(f[56:])); i++ {
		off := int(le.Uint64(f[32:])) + i*phdrSize
		if elf.ProgType(le.Uint32(f[off:])) == elf.PT_LOAD {
			at = append(at, off)
		}
	}
	return at
}

func swapLoads(f []byte) []byte {
	h := loadHeaders(f)
	first := bytes.Clone(f[h[0] : h[0]+phdrSize])
	copy(f[h[0]:], f[h[2]:h[2]+phdrSize])
	copy(f[h[2]:], first)
	return f
}

// patchLoad sets a field of the i-th PT_LOAD.
func patchLoad(i, field int, v uint64) func([]byte) []byte {
	return func(f []byte) []byte {
		le.PutUint64(f[loadHeaders(f)[i]+field:], v)
		return f
	}
}

// patchDyn sets the value of the first entry with a tag.
func patchDyn(tag elf.DynTag, v uint64) func([]byte) []byte {
	return func(f []byte) []byte {
		im, err := parse("good", f)
		if err != nil {
			panic(err)
		}
		b, _ := im.view(im.dynSeg.vaddr, im.dynSeg.size)
		for ; elf.DynTag(le.Uint64(b)) != tag; b = b[16:] {
		}
		le.PutUint64(b[8:], v)
		return f
	}
}

// patchRela sets a field of the first relocation.
func patchRela(field int, v uint64) func([]byte) []byte {
	return func(f []byte) []byte {
		im, err := parse("good", f)
		if err != nil {
			panic(err)
		}
		le.PutUint64(im.dyn.rela[field:], v)
		return f
	}
}

// TestRefuseOtherLibc gives the program a C library that is not the one ampirun runs with.
func TestRefuseOtherLibc(t *testing.T) {
	libc, err := os.ReadFile(hostLibc())
	if err != nil {
		t.Fatal(err)
	}
	id := buildID(libc)
	if id == nil {
		t.Skip("libc has no build ID")
	}
	id[0] ^= 1
	other := filepath.Join(t.TempDir(), libcSoname)
	if err := os.WriteFile(other, libc, 0o644); err != nil {
		t.Fatal(err)
	}
	_, err = Load(compile(t, "plain", "plain.c"), []Library{{libcSoname, other}}, options(t))
	wantRefusal(t, err, OtherLibc, other, "LD_LIBRARY_PATH")
	id[0] ^= 1
	if err := os.WriteFile(other, libc, 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := Load(compile(t, "plain", "plain.c"), []Library{{libcSoname, other}}, options(t))
	if err != nil {
		t.Fatalf("a copy of the same libc is refused: %v", err)
	}
	p.Close()
}

func TestRefuseNoMain(t *testing.T) {
	prog := compile(t, "nomain", "-nostartfiles", "-s", "-Wl,--no-as-needed", "-Wl,-e,begin", "-Dmain=begin", "unresolved.c", "nothing.c")
	wantRefusal(t, tryLoad(t, prog), NoMain, prog)
}
