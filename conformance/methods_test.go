package conformance

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ampirun/privatize"
)

const methodsDir = root + "/testdata/methods"

// kinds builds the program that finds out which variables are private, with its library beside it.
func kinds(t *testing.T) string {
	t.Helper()
	dir := filepath.Dir(program(t, methodsDir+"/library.c", "-shared", "-fPIC"))
	return program(t, methodsDir+"/kinds.c", "-fPIC", "-Wl,--no-as-needed,-rpath,"+dir, filepath.Join(dir, "library"))
}

// TestMethods compares what is private under each method with what ampirun --methods says.
func TestMethods(t *testing.T) {
	t.Parallel()
	each(t, privatize.Methods(), func(m privatize.Method) string { return m.Facts().Name }, func(t *testing.T, m privatize.Method) {
		f := m.Facts()
		r := job{program: kinds(t), workers: 2, ranks: 8, flags: []string{"+privatize", f.Name}}.run(t)
		r.expectCode(t, 0)
		for kind, private := range map[string]bool{
			"global": f.Globals, "static": f.Globals, "tagged": f.Tagged, "library": f.Libraries, "library-static": f.Libraries,
			"strtok": f.LibC || f.Name == "fs", "environment": f.LibC,
		} {
			want := kind + " shared\n"
			if private {
				want = kind + " private\n"
			}
			if !strings.Contains(r.stdout, want) {
				t.Errorf("%s: does not say %q\n%s", r.what, want, r.output())
			}
		}
		for rank := range 8 {
			if want := fmt.Sprintf("line of rank %d\n", rank); !strings.Contains(r.stdout, want) {
				t.Errorf("%s: does not print %q\n%s", r.what, want, r.output())
			}
		}
	})
}

// TestMethodLimits goes to the limit of ranks in a worker and one beyond.
func TestMethodLimits(t *testing.T) {
	t.Parallel()
	for _, m := range privatize.Methods() {
		f := m.Facts()
		if f.PerWorker == 0 {
			continue
		}
		flags := []string{"+privatize", f.Name}
		hello := program(t, ownDir+"/hello.c")
		job{program: hello, workers: 1, ranks: f.PerWorker, flags: flags}.run(t).expectCode(t, 0)
		job{program: hello, workers: 2, ranks: 2 * f.PerWorker, flags: flags}.run(t).expectCode(t, 0)
		r := job{program: hello, workers: 1, ranks: f.PerWorker + 1, flags: flags}.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, fmt.Sprint(f.PerWorker), "+privatize pie")
	}
}

// TestMethodsMany runs more ranks than namespaces there would be.
func TestMethodsMany(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"fs", "tls"} {
		r := job{program: program(t, ownDir+"/hello.c"), workers: 2, ranks: 100, flags: []string{"+privatize", name}}.run(t)
		r.expectCode(t, 0)
		if n := strings.Count(r.stdout, "of 100"); n != 100 {
			t.Errorf("%s: %d ranks say hello", r.what, n)
		}
	}
}

// TestMethodRefusals has ld.so's methods refuse what they would get wrong, and pip serve what fs cannot.
func TestMethodRefusals(t *testing.T) {
	t.Parallel()
	dir := filepath.Dir(program(t, methodsDir+"/library.c", "-shared", "-fPIC"))
	copies := program(t, methodsDir+"/kinds.c", "-Wl,--no-as-needed,-rpath,"+dir, filepath.Join(dir, "library"))
	r := job{program: copies, workers: 1, ranks: 2, flags: by("fs")}.run(t)
	r.expectCode(t, 2)
	r.expectSays(t, "library_global", "-fPIC")
	r = job{program: copies, workers: 1, ranks: 2, flags: by("pip")}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "library private\n", "library-static private\n")
	for _, name := range []string{"fs", "pip"} {
		r = job{program: copies, workers: 1, ranks: 2, flags: []string{"+privatize", name, "+preload", filepath.Join(dir, "library")}}.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, "+preload")
	}
}

// TestMethodsMeasure checks that ampirun --methods says what starting a rank of a program takes, without running its main.
func TestMethodsMeasure(t *testing.T) {
	t.Parallel()
	text, err := exec.Command(tool("ampirun"), "--methods", program(t, ownDir+"/hello.c")).CombinedOutput()
	if err != nil || strings.Contains(string(text), "hello from") {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, m := range privatize.Methods() {
		if f := m.Facts(); !regexp.MustCompile(`(?m)^` + f.Name + ` .* \d+ us: ` + f.Cost + `$`).Match(text) {
			t.Errorf("no figure for %s:\n%s", f.Name, text)
		}
	}
}
