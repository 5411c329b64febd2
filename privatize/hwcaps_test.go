package privatize

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"testing"
)

// TestHwcaps asks ld.so which folders of glibc-hwcaps it searches.
func TestHwcaps(t *testing.T) {
	host, err := openHost()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(host.path, "--help").Output()
	if err != nil {
		t.Skipf("ld.so has no --help: %v", err) // glibc before 2.33, which knows no such folders
	}
	var want []string
	for _, m := range regexp.MustCompile(`(?m)^  (x86-64-v\d) \(supported, searched\)`).FindAllSubmatch(out, -1) {
		want = append(want, string(m[1]))
	}
	if got := hwcaps(); !slices.Equal(got, want) {
		t.Errorf("%v, and ld.so has %v", got, want)
	}
}

// TestFindVariant finds the library for this processor, in folders and in a cache that ldconfig makes.
func TestFindVariant(t *testing.T) {
	dir := t.TempDir()
	place := func(sub, soname string) string {
		lib := compile(t, "liba.so", "-shared", "-fPIC", "-Wl,-soname,"+soname, "-xc", "/dev/null")
		content, err := os.ReadFile(lib)
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, sub, soname)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	best := place("", "liba.so")
	place("glibc-hwcaps/x86-64-v9", "liba.so")
	plain := place("", "libplain.so")
	check := func(where string, want ...string) {
		t.Helper()
		for _, w := range want {
			f := newFinder(dir)
			f.cache = readCache(filepath.Join(dir, "cache"))
			if where == "cache" {
				f.libraryPath = nil
			}
			if got, _ := f.find(filepath.Base(w), []*image{{}}); got != w {
				t.Errorf("%s: %s, want %s", where, got, w)
			}
		}
	}
	levels := append(slices.Clone(hwcaps()), "") // the worst one first
	slices.Reverse(levels)
	for _, level := range levels {
		if level != "" {
			best = place("glibc-hwcaps/"+level, "liba.so")
		}
		check("folder", best, plain)
		conf := filepath.Join(dir, "conf")
		if err := os.WriteFile(conf, []byte(dir+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command("/sbin/ldconfig", "-X", "-f", conf, "-C", filepath.Join(dir, "cache")).CombinedOutput(); err != nil {
			t.Logf("ldconfig: %v: %s", err, out)
			continue
		}
		check("cache", best, plain)
	}
}
