package privatize

import (
	"os"
	"path/filepath"
	"testing"
)

// TestFindLibrary compares places that a name is searched in, by which of them wins.
func TestFindLibrary(t *testing.T) {
	lib := compile(t, "liba.so", "-shared", "-fPIC", "-xc", "/dev/null")
	dir := t.TempDir()
	content, err := os.ReadFile(lib)
	if err != nil {
		t.Fatal(err)
	}
	for _, sub := range []string{"rpath", "runpath", "env", "origin/sub"} {
		if err := os.MkdirAll(filepath.Join(dir, sub), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, sub, "liba.so"), content, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(dir, "other"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "other", "liba.so"), []byte("\x7fELF\x01\x01 of another machine"), 0o666); err != nil {
		t.Fatal(err)
	}
	in := func(sub string) string { return filepath.Join(dir, sub) }
	object := func(rpath, runpath string) *image {
		return &image{path: in("origin/prog"), dyn: dynamic{rpath: rpath, runpath: runpath}}
	}
	none := object("", "")
	for _, c := range []struct {
		what, env string
		by        []*image
		want      string
	}{
		{"RPATH comes before LD_LIBRARY_PATH", in("env"), []*image{object(in("rpath"), "")}, "rpath"},
		{"LD_LIBRARY_PATH comes before RUNPATH", in("env"), []*image{object("", in("runpath"))}, "env"},
		{"RPATH does not count beside RUNPATH", "", []*image{object(in("rpath"), in("runpath"))}, "runpath"},
		{"RPATH of the loading object counts", "", []*image{none, object(in("rpath"), "")}, "rpath"},
		{"RUNPATH of the loading object does not", "", []*image{none, object("", in("runpath"))}, ""},
		{"$ORIGIN is the folder of the object", "", []*image{object("", "$ORIGIN/sub")}, "origin/sub"},
		{"files for other machines are passed over", in("other") + ":" + in("env"), []*image{none}, "env"},
		{"nowhere", in("missing"), []*image{none}, ""},
	} {
		got, ok := newFinder(c.env).find("liba.so", c.by)
		if want := filepath.Join(in(c.want), "liba.so"); ok != (c.want != "") || ok && got != want {
			t.Errorf("%s: found %q", c.what, got)
		}
	}
}

// TestReadCache looks for the C library in what ldconfig has made of this system, and survives what is no cache.
func TestReadCache(t *testing.T) {
	if _, err := os.Stat(cacheFile); err == nil {
		path := readCache(cacheFile)[libcSoname]
		if path == "" || !isForHere(path) {
			t.Errorf("the cache has %s at %q", libcSoname, path)
		}
	}
	whole, _ := os.ReadFile(cacheFile)
	broken := filepath.Join(t.TempDir(), "cache")
	for _, n := range []int{0, 10, cacheHead, cacheHead + cacheEntry - 1, min(len(whole), 5000)} {
		if err := os.WriteFile(broken, whole[:min(n, len(whole))], 0o666); err != nil {
			t.Fatal(err)
		}
		readCache(broken)
	}
}
