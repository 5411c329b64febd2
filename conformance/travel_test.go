package conformance

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// shuffled has random ranks go to random workers all the time.
func shuffled(every string) []string { return []string{"AMPI_SHUFFLE=" + every} }

// TestTravel moves ranks all the time, in the midst of whatever they do.
func TestTravel(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/travel.c", "-O1")
	each(t, amount([]int{1, 3}, []int{1, 2, 3, 4}), func(workers int) string { return fmt.Sprint(workers) }, func(t *testing.T, workers int) {
		const lines = 200
		ranks := 5 + workers
		r := job{program: path, args: []string{fmt.Sprint(lines), t.TempDir()}, workers: workers, ranks: ranks,
			flags: []string{"+stats"}, env: shuffled("20us")}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS travel\n")
		expectOrder(t, r, r.stdout, ranks, lines, 1)
		expectOrder(t, r, r.stderr, ranks, lines, 5)
		if moves := movesIn(r.stderr); workers > 1 && moves < lines/10 { // 128 were seen where both cores had ten other things to do
			t.Errorf("%s: %d moves", r.what, moves)
		}
	})
}

// expectOrder checks that the lines of each rank come in order, whichever worker wrote them.
func expectOrder(t *testing.T, r result, text string, ranks, lines, step int) {
	t.Helper()
	next := make([]int, ranks)
	for line := range strings.Lines(text) {
		var rank, number int
		if n, _ := fmt.Sscanf(line, "rank %d line %d", &rank, &number); n != 2 {
			continue
		}
		if number != next[rank] {
			t.Fatalf("%s: line %d of rank %d comes where line %d is due", r.what, number, rank, next[rank])
		}
		next[rank] += step
	}
	for rank, n := range next {
		if n < lines {
			t.Errorf("%s: lines of rank %d end before line %d", r.what, rank, n)
		}
	}
}

// travellers are programs whose ranks have much in their processes, or have the reason why they stay.
var travellers = []string{
	"carried.c", "children.c", "constructors.cpp", "cxx_libraries.cpp", "directory.c", "dynamic.c", "environment.c", "exceptions.cpp", "fortran_state.f90", "iostreams.cpp",
	"jumps.c", "libc_state.c", "library_maps.c", "mapped_files.c", "mappings.c", "memory_calls.c", "output_lines.c", "plugins.c", "plugins.cpp", "random.c", "signals.c", "stacks.c", "stdin_rank0.c", "stdio_files.c",
	"threads.c", "timers.c", "tls.c", "twolibs.c", "waiting.c",
}

// staysFor says why ranks of some travellers stay; those of all others go wherever they are sent.
var staysFor = map[string][]string{
	"plugins.c": {"it has started threads"},
	"random.c":  {"it has started threads"},
	"signals.c": {"it has started threads"},
	"stacks.c":  {"it has started threads"},
	"threads.c": {"it has started threads"},
	"waiting.c": {"it has started threads", "it has memory that it shares with others"},
}

// TestLangTravels runs programs of testdata/lang while their ranks are moved.
func TestLangTravels(t *testing.T) {
	t.Parallel()
	each(t, travellers, func(file string) string { return file }, func(t *testing.T, file string) {
		path := program(t, filepath.Join(langDir, file))
		r := job{program: path, workers: 2, ranks: 7, dir: filepath.Dir(path), flags: []string{"+stats"}, env: shuffled("100us")}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS "+row{file: file}.name())
		for _, why := range reasons(r.stderr) {
			known := slices.ContainsFunc(staysFor[file], func(reason string) bool { return strings.HasPrefix(why, reason) })
			if !known {
				t.Errorf("%s: a rank cannot move: %s", r.what, why)
			}
		}
	})
}

// reasons are why ranks cannot move, by +stats.
func reasons(stats string) (all []string) {
	for line := range strings.Lines(stats) {
		if _, why, found := strings.Cut(line, "cannot move: "); found {
			all = append(all, strings.TrimSpace(why))
		}
	}
	return all
}
