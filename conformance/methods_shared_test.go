package conformance

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// movesBy runs a program of testdata/methods under a method with two workers.
func movesBy(t *testing.T, method, file string, ranks int, flags ...string) result {
	t.Helper()
	r := job{program: program(t, filepath.Join(methodsDir, file), flags...), workers: 2, ranks: ranks, dir: t.TempDir(), flags: append(by(method), "+stats")}.run(t)
	r.expectCode(t, 0)
	if movesIn(r.stderr) == 0 {
		t.Errorf("%s: no rank has moved\n%s", r.what, r.output())
	}
	return r
}

// TestSharedLibraries moves ranks that hold addresses of libraries which they share with others, and under pie of their own.
func TestSharedLibraries(t *testing.T) {
	each(t, []string{"addresses.c", "streams.cpp"}, strings.Clone, func(t *testing.T, file string) {
		for _, method := range []string{"fs", "pie"} {
			r := movesBy(t, method, file, 5)
			r.expectSays(t, "PASS "+row{file: file}.name()+"\n")
			for _, why := range reasons(r.stderr) {
				t.Errorf("%s: a rank cannot move: %s", r.what, why)
			}
		}
	})
}

// TestSharedMemory has ranks stay for as long as they use memory of their worker's libraries, and for good where they change what these keep.
func TestSharedMemory(t *testing.T) {
	r := movesBy(t, "fs", "held.c", 5)
	r.expectSays(t, "PASS held\n", "cannot move: it has changed the environment")
}

// TestSharedOptions has ranks of a worker take turns while they read their options, in a program that names the variables of getopt and has
// copies of them, in one that reaches them otherwise, and in one that knows none.
func TestSharedOptions(t *testing.T) {
	for _, flags := range [][]string{nil, {"-DNAMES"}, {"-DNAMES", "-fPIC"}} {
		movesBy(t, "fs", "options.c", 5, flags...).expectSays(t, "PASS options\n")
	}
}

// TestSharedUnit checks that lines of Fortran come whole and in the order of each rank.
func TestSharedUnit(t *testing.T) {
	r := movesBy(t, "fs", "unit6.f90", 5)
	expectOrder(t, r, r.stdout, 5, 200, 1)
}

// TestSharedRestart goes on from a checkpoint in processes whose libraries have to lie where they did.
func TestSharedRestart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "saves")
	first := job{program: program(t, methodsDir+"/saved.cpp"), workers: 2, ranks: 4, dir: t.TempDir(), flags: append(by("fs"), "+ckpt", dir)}.run(t)
	first.expectCode(t, 3)
	first.expectSays(t, "rank 1 cannot be saved: it uses memory that libc.so.6 has allocated")
	cmd := exec.Command(tool("ampirun"), "+restart", dir)
	job{dir: dir}.prepare(t, cmd)
	again := finish(t, cmd)
	again.expectCode(t, 0)
	again.expectSays(t, "PASS saved", "rank 3 goes on")
}
