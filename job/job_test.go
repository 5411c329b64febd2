package job

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func sortedLines(text string) []string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	slices.Sort(lines)
	return lines
}

func TestOutputOfAllRanksArrives(t *testing.T) {
	r := run(t, nil, "hello")
	var want []string
	for rank := range 4 {
		want = append(want, fmt.Sprintf("hello from %d of 4", rank))
	}
	if got := sortedLines(r.stdout); r.code != 0 || !slices.Equal(got, want) {
		t.Errorf("code %d, output %q, stderr %q", r.code, got, r.stderr)
	}
}

func TestLabelNamesTheRankOnBothStreams(t *testing.T) {
	r := run(t, func(o *Options) { o.Label = true }, "hello")
	for rank := range 4 {
		if !strings.Contains(r.stdout, fmt.Sprintf("[%d] hello from %d of 4\n", rank, rank)) {
			t.Errorf("no labelled line of rank %d in %q", rank, r.stdout)
		}
		if !strings.Contains(r.stderr, fmt.Sprintf("[%d] error of %d\n", rank, rank)) {
			t.Errorf("no labelled error of rank %d in %q", rank, r.stderr)
		}
	}
}

func TestLinesAreNotMixedUnderLoad(t *testing.T) {
	const ranks, lines = 32, 100
	r := run(t, func(o *Options) { o.Ranks = ranks }, "flood", fmt.Sprint(lines))
	if r.code != 0 {
		t.Fatalf("code %d: %s", r.code, r.stderr)
	}
	next := map[string]int{}
	for stream, text := range []string{r.stdout, r.stderr} {
		for line := range strings.Lines(text) {
			var rank, i int
			fmt.Sscanf(line, "%d:%d:", &rank, &i)
			key := fmt.Sprint(stream, rank)
			if line != floodLine(rank, i) || i%2 != stream || i != 2*next[key]+stream {
				t.Fatalf("line %q is mixed or out of order", line)
			}
			next[key]++
		}
	}
	for rank := range ranks {
		for stream := range 2 {
			if n := next[fmt.Sprint(stream, rank)]; n != lines/2 {
				t.Errorf("rank %d stream %d: %d lines of %d", rank, stream+1, n, lines/2)
			}
		}
	}
}

func TestLongLineWithoutNewlineArrives(t *testing.T) {
	r := run(t, nil, "long", "300001")
	if r.code != 0 || r.stdout != strings.Repeat("x", 300001) {
		t.Errorf("code %d, %d bytes", r.code, len(r.stdout))
	}
}

func TestUnfinishedLinesEndApart(t *testing.T) {
	r := run(t, nil, "partial")
	r.expect(t, 0, "rank 0 has no newline\nrank 1 has no newline\nrank 2 has no newline\nrank 3 has no newline", "")
}

func TestUnfinishedLineAppearsWhenItsRankEnds(t *testing.T) {
	l := startLive(t, nil, "ended")
	l.out.Split(bufio.ScanBytes)
	for got := ""; got != "last words"; {
		got += l.line()
	}
	l.signal(15)
	l.end()
}

func TestExitCodeOfLowestFailedRank(t *testing.T) {
	run(t, nil, "exit").expect(t, 0, "", "")
	run(t, nil, "exit", "3=7").expect(t, 7, "", "")
	run(t, nil, "exit", "3=7", "1=5").expect(t, 5, "", "")
	run(t, nil, "exit", "2=256").expect(t, 0, "", "")
}

func TestAbortEndsTheJobWithItsCode(t *testing.T) {
	run(t, nil, "abort", "42").expect(t, 42, "", "giving up\nampirun: rank 3 aborted the job with code 42\n")
	run(t, nil, "abort", "259").expect(t, 3, "", "giving up\nampirun: rank 3 aborted the job with code 259\n")
}

func TestFaultEndsTheJobWithItsSignal(t *testing.T) {
	run(t, nil, "fault").expect(t, 139, "", "ampirun: rank 0: SIGSEGV at 0x0 in solve() legacy.c:33\n")
	run(t, nil, "core").expect(t, 139, "dies by itself\n", "ampirun: rank 0: SIGSEGV\n")
}

func TestDeadlockIsReportedAfterTheOutput(t *testing.T) {
	r := run(t, func(o *Options) { o.Ranks = 2 }, "deadlock")
	r.expect(t, 1, "before\nbefore", "ampirun: deadlock:\n  rank 0 waits in MPI_Recv for rank 1\n")
}

func TestRefusalOfAWorkerIsTheJobs(t *testing.T) {
	run(t, nil, "refuse").expect(t, 2, "", "ampirun: /bin/true: is statically linked\n")
}

func TestWorkerThatLeavesEarlyIsNamed(t *testing.T) {
	for code, want := range map[string]int{"0": 1, "9": 9} {
		r := run(t, nil, "die", code)
		if r.code != want || !strings.Contains(r.stderr, "worker 1 (pid ") || !strings.Contains(r.stderr, "ended with code "+code) {
			t.Errorf("exit %s: code %d, stderr %q", code, r.code, r.stderr)
		}
	}
}

func TestGarbageInTheOutputPipeEndsTheJob(t *testing.T) {
	r := run(t, nil, "garbage")
	if r.code != 1 || !strings.Contains(r.stderr, "output pipe holds no frame") {
		t.Errorf("code %d, stderr %q", r.code, r.stderr)
	}
}

func TestChildrenOfRanksWriteThrough(t *testing.T) {
	r := run(t, func(o *Options) { o.Label = true }, "child", "echo out; echo err >&2; printf rest")
	if got := sortedLines(r.stdout); !slices.Equal(got, []string{"[PE 0] out", "[PE 0] rest", "[PE 1] out", "[PE 1] rest"}) {
		t.Errorf("stdout %q", r.stdout)
	}
	if got := sortedLines(r.stderr); !slices.Equal(got, []string{"[PE 0] err", "[PE 1] err"}) {
		t.Errorf("stderr %q", r.stderr)
	}
}

func TestConfigurationArrivesByteForByte(t *testing.T) {
	t.Setenv("SHOW_ME", "caf\xe9")
	dir := t.TempDir()
	r := run(t, func(o *Options) { o.Dir, o.Slice = dir, 1<<25 }, "show", "a b", "")
	real, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprintf("%q %q %q %s %q 1048576 33558528 pie\n", "/bin/true", []string{"/bin/true", "show", "a b", ""},
		[]string{"SHOW_ME=caf\xe9"}, `[{"libx.so.1" "/lib/\xff/libx.so.1"}]`, real)
	r.expect(t, 0, want, "")
}

func TestStackLargerThanSliceIsRefused(t *testing.T) {
	r := run(t, func(o *Options) { o.Stack, o.Slice = 1<<30, 1<<20 }, "hello")
	if r.code != 2 || !strings.Contains(r.stderr, "+stack") || !strings.Contains(r.stderr, "+slice") {
		t.Errorf("code %d, stderr %q", r.code, r.stderr)
	}
}

func TestBadPrograms(t *testing.T) {
	dir := t.TempDir()
	plain := filepath.Join(dir, "plain")
	if err := os.WriteFile(plain, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for program, code := range map[string]int{"no-such-program-anywhere": 127, "./none": 127, plain: 126, dir: 126, "plain": 126} {
		r := run(t, func(o *Options) { o.Program, o.Dir = program, dir }, "hello")
		if r.code != code || !strings.HasPrefix(r.stderr, "ampirun: "+program+": ") || strings.Count(r.stderr, "\n") != 1 {
			t.Errorf("%s: code %d, stderr %q", program, r.code, r.stderr)
		}
	}
	r := run(t, func(o *Options) { o.Dir = filepath.Join(dir, "none") }, "hello")
	if r.code != 2 || !strings.Contains(r.stderr, "-wdir") {
		t.Errorf("missing directory: code %d, stderr %q", r.code, r.stderr)
	}
}

func TestProgramIsFoundInPathAndHere(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	if err := os.WriteFile("mine", nil, 0o755); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"mine": filepath.Join(here, "mine"), "./mine": filepath.Join(here, "mine")} {
		if got, err := FindProgram(name); err != nil || got != want {
			t.Errorf("FindProgram(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	if got, err := FindProgram("true"); err != nil || !filepath.IsAbs(got) {
		t.Errorf("FindProgram(true) = %q, %v", got, err)
	}
}

func TestStatsTables(t *testing.T) {
	r := run(t, func(o *Options) { o.Stats = true }, "stats")
	for _, want := range []string{"PE", "75.0", "rank", "1.5 KiB", "3.000"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q in the stats:\n%s", want, r.stderr)
		}
	}
	r = run(t, func(o *Options) { o.Stats, o.Ranks = true, 101 }, "stats")
	for _, want := range []string{"min", "median", "max", "50.000", "100.000"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("no %q in the stats:\n%s", want, r.stderr)
		}
	}
}

func TestChildrenOfRanksInheritNoDescriptorsOfOurs(t *testing.T) {
	r := run(t, nil, "child", `for fd in 3 4 5 6 7 8 9; do [ ! -e /proc/$$/fd/$fd ] || echo $fd is open; done`)
	r.expect(t, 0, "", "")
}
