package privatize

import (
	"os"
	"testing"
)

// FuzzParse gives foreign bytes to everything that reads a file before any of it runs: headers, symbol lookups,
// relocation. Nothing may panic, and parse returns an image or an error, never both or none.
func FuzzParse(f *testing.F) {
	for _, args := range [][]string{
		{"plain.c"},
		{"-shared", "-fPIC", "user_lib.c"},
		{"-s", "-Wl,--hash-style=sysv", "user_lib.c", "-shared", "-fPIC"},
		{"-Wl,-z,pack-relative-relocs", "-rdynamic", "hello.c"},
		{"-no-pie", "plain.c"},
	} {
		b, err := os.ReadFile(compile(f, "seed", args...))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b)
	}
	host, err := openHost()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		im, err := parse("fuzz", data)
		if (im == nil) == (err == nil) {
			t.Fatalf("parse returned %v and %v", im, err)
		}
		if err == nil {
			fuzzImage(t, im, host)
		}
	})
}

func fuzzImage(t *testing.T, im *image, host *hostLoader) {
	for _, name := range []string{"main", "answer", "lib_step", "stdout", ""} {
		im.find(newQuery(name, ""))
		im.find(newQuery(name, "GLIBC_2.2.5"))
	}
	im.staticSymbol("main")
	if checkProgram(im) != nil && checkLibrary(im) != nil {
		return
	}
	p := &Program{
		opts:   Options{TLSTop: 1 << 20, TLSReserve: 1 << 16, Fallback: func(string) uintptr { return 1 << 20 }},
		images: []*image{im}, host: host, libc: im, align: pageSize, resolverAt: map[uint64]uint32{},
	}
	p.orderInits()
	if p.checkSanitizers() != nil || p.layout() != nil || p.relocate() != nil {
		return
	}
	p.lookInside(true)
	p.lookInside(false)
	p.findEntry()
	if p.findMain() == nil && p.entry.main == 0 {
		t.Fatal("main is nowhere, and nobody said so")
	}
	p.Objects()
	p.Ranges()
	p.Entry(1 << 40)
	p.Locate(1<<40, 1<<40+uintptr(im.entry))
}
