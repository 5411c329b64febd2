package conformance

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

const profilingDir = root + "/testdata/profiling"

// profiled is a way to put the tool of testdata/profiling between a program and MPI.
type profiled struct {
	name  string
	build string // commands, with $CC, $FC and the sources beside them; they make a.out
	flags []string
	env   []string // NAME=VALUE, set for ampirun
}

// TestProfiling counts calls with a tool that is linked with the program or preloaded into its ranks. Each rank has the tool's counters to
// itself, the tool's own calls are not counted, and calls from Fortran are, once.
func TestProfiling(t *testing.T) {
	t.Parallel()
	const library = "$CC -shared -fPIC -o libtool.so tool.c && "
	rows := []profiled{
		{name: "object", build: "$CC program.c tool.c"},
		{name: "archive", build: "$CC -c tool.c && ar rcs libtool.a tool.o && $CC program.c libtool.a"},
		{name: "object_fortran", build: "$CC -c tool.c && $FC program.f90 tool.o"},
		{name: "library", build: library + "$CC program.c -L. -ltool -Wl,-rpath,$PWD"},
		{name: "preload", build: library + "$CC program.c", flags: []string{"+preload", "libtool.so"}},
		{name: "preload_fortran", build: library + "$FC program.f90", flags: []string{"+preload", "libtool.so"}},
		{name: "preload_bare", build: "gcc -shared -fPIC -I$INCLUDE -o libtool.so tool.c && $CC program.c", flags: []string{"+preload", "libtool.so"}},
		{name: "environment", build: library + "$CC program.c", env: []string{"LD_PRELOAD=./libtool.so"}},
		{name: "environment_of_ranks", build: library + "$CC program.c", flags: []string{"-x", "LD_PRELOAD=./libtool.so"}},
	}
	each(t, rows, func(p profiled) string { return p.name }, func(t *testing.T, p profiled) {
		dir := t.TempDir()
		p.make(t, dir)
		for _, workers := range []int{1, 2} {
			r := job{program: filepath.Join(dir, "a.out"), dir: dir, workers: workers, ranks: 3, flags: p.flags, env: p.env}.run(t)
			r.expectCode(t, 0)
			r.expectSays(t, "tool: in all 6 sends, 0 receives\n")
			for rank := range 3 {
				r.expectSays(t, fmt.Sprintf("tool: rank %d: %d sends, 0 receives, 1 barriers, 1 sizes, 2 controls\n", rank, rank+1))
			}
		}
	})
}

// make builds the program beside copies of the sources.
func (p profiled) make(t *testing.T, dir string) {
	t.Helper()
	sources, err := filepath.Abs(profilingDir)
	if err != nil {
		t.Fatal(err)
	}
	include, _ := filepath.Abs(root + "/shim/include")
	cmd := exec.Command("sh", "-ec", "cp "+sources+"/* . && "+p.build)
	cmd.Dir = dir
	cmd.Env = append(cmd.Environ(), "CC="+tool("ampicc"), "FC="+tool("ampif90"), "INCLUDE="+include)
	must(t, cmd)
}

// TestPreloadRefused checks what +preload says of files that are no libraries.
func TestPreloadRefused(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{"absent.so": "no such file", "main_test.go": "cannot be preloaded"} {
		r := job{program: program(t, hello), workers: 1, ranks: 2, dir: ".", flags: []string{"+preload", file}}.run(t)
		r.expectCode(t, 2)
		r.expectSays(t, text)
	}
}
