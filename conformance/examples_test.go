package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

var examples = []string{"stencil", "cg", "particles"}

var buildExamples = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(tools, "examples")
	return dir, quiet(exec.Command("make", "-C", exampDir, "BUILD="+dir, "CC="+tool("ampicc"), "CXX="+tool("ampicxx"), "FC="+tool("ampif90")))
})

func example(t *testing.T, name string) string {
	t.Helper()
	dir, err := buildExamples()
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// TestExamples checks that the legacy programs give the same numbers however many ranks there are, wherever they run.
func TestExamples(t *testing.T) {
	t.Parallel()
	type placement struct {
		name           string
		workers, ranks int
	}
	var rows []placement
	for _, name := range examples {
		for _, ranks := range []int{8, 64, 256} {
			rows = append(rows, placement{name, 1, ranks}, placement{name, 2, ranks})
		}
	}
	each(t, rows, func(p placement) string { return fmt.Sprintf("%s/%d/%d", p.name, p.workers, p.ranks) }, func(t *testing.T, p placement) {
		r := job{program: example(t, p.name), workers: p.workers, ranks: p.ranks}.run(t)
		r.expectCode(t, 0)
		r.expectStdout(t, expected(t, p.name))
	})
}

func expected(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(exampDir, name, "expected.txt"))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func (r result) expectStdout(t *testing.T, want string) {
	t.Helper()
	if r.stdout != want {
		t.Errorf("%s: prints something else\n%s\nwant: %s", r.what, r.output(), short(want))
	}
}

// TestExamplesUnprivatized shows what privatization is for: ranks that share globals compute nonsense, find it out, and
// the job ends with a failure.
func TestExamplesUnprivatized(t *testing.T) {
	t.Parallel()
	each(t, examples, func(name string) string { return name }, func(t *testing.T, name string) {
		r := job{program: example(t, name), workers: 1, ranks: 8, flags: []string{"+privatize", "none"}}.run(t)
		r.expectFailure(t)
		if r.stdout == expected(t, name) {
			t.Errorf("%s: gives the right numbers", r.what)
		}
	})
}
