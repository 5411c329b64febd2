package conformance

import (
	"os"
	"path/filepath"
	"testing"
)

const rpcDir = root + "/testdata/rpc"

// rpcRuns are the ways in which programs with remote calls run: the places of ranks, and moves, must not matter.
var rpcRuns = []struct {
	name           string
	workers, ranks int
	env            []string
	flags          []string
}{
	{name: "one", workers: 1, ranks: 4},
	{name: "two", workers: 2, ranks: 4},
	{name: "itself", workers: 1, ranks: 1},
	{name: "many", workers: 3, ranks: 13},
	{name: "moves", workers: 2, ranks: 5, env: shuffled("200us")},
	{name: "copies", workers: 2, ranks: 5, env: shuffled("2ms"), flags: []string{"+migrate", "copy"}},
}

// TestRPC runs programs whose ranks call each other's functions.
func TestRPC(t *testing.T) {
	t.Parallel()
	for _, file := range []string{"calls.c", "futures.cpp"} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			runRPC(t, program(t, filepath.Join(rpcDir, file)))
		})
	}
}

// runRPC runs a program in all ways; it says that it is content.
func runRPC(t *testing.T, path string, args ...string) {
	t.Helper()
	for _, w := range rpcRuns {
		t.Run(w.name, func(t *testing.T) {
			r := job{program: path, args: args, workers: w.workers, ranks: w.ranks, env: w.env, flags: w.flags}.run(t)
			r.expectCode(t, 0)
			r.expectSays(t, "PASS "+filepath.Base(path)+"\n")
		})
	}
}

// TestRPCSegments calls functions of libraries that are linked, opened late, opened in another order, opened by some ranks only, closed and opened
// again.
func TestRPCSegments(t *testing.T) {
	t.Parallel()
	plugin := func(flags ...string) string {
		return program(t, rpcDir+"/plugin.c", append([]string{"-shared", "-fPIC"}, flags...)...)
	}
	third := plugin("-DNUMBER=3")
	twin := filepath.Join(t.TempDir(), "twin.so")
	text, err := os.ReadFile(third)
	if err == nil {
		err = os.WriteFile(twin, text, 0o777)
	}
	if err != nil {
		t.Fatal(err)
	}
	start := program(t, rpcDir+"/start.c", "-shared", "-fPIC", "-nostartfiles", "-nostdlib", "-Wl,-z,separate-code")
	linked := program(t, rpcDir+"/segments.c", "-Wl,--no-as-needed", plugin("-DNUMBER=9"), "-ldl")
	runRPC(t, linked, plugin("-DNUMBER=1"), plugin("-DNUMBER=2", "-Wl,--build-id=none"), third, plugin("-DNUMBER=4"), plugin("-DNUMBER=5"), twin, start)
}
