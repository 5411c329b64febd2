package conformance

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// sweepOf is ampirun sweep in a directory, marked as jobs are.
func sweepOf(t *testing.T, dir string, args ...string) (cmd *exec.Cmd, mark string) {
	t.Helper()
	cmd = exec.Command(tool("ampirun"), append([]string{"sweep"}, args...)...)
	return cmd, job{dir: dir}.prepare(t, cmd)
}

// TestSweep runs a small matrix with the seconds that the program prints, and again: nothing is left to run then.
func TestSweep(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	args := []string{"--vp", "2,4,...,8", "--lb", "none,greedyrefine", "--p", "2", "--repeat", "2", "--metric", `seconds ([0-9.]+)`, "-o", "out",
		"--", "--stack", "8M", program(t, imbalance), "slope", "10", "50"}
	cmd, _ := sweepOf(t, dir, args...)
	finish(t, cmd).expectCode(t, 2) // 4 may be followed by 6 or by 8
	args[1] = "2,4,6,...,8"
	for runs := 16; runs >= 0; runs -= 16 {
		cmd, mark := sweepOf(t, dir, args...)
		r := finish(t, cmd)
		checkGone(t, mark, cmd.Args)
		r.expectCode(t, 0)
		r.expectSays(t, "best: ", "chart: out/chart.svg", "per PE")
		if n := strings.Count(r.stderr, "ampirun: sweep: "); n != runs {
			t.Errorf("%d runs, want %d\n%s", n, runs, r.output())
		}
	}
	chart, err := os.ReadFile(filepath.Join(dir, "out/chart.svg"))
	if err != nil || !strings.Contains(string(chart), ">GreedyRefine<") || !strings.Contains(string(chart), ">best<") {
		t.Errorf("the chart: %v\n%s", err, chart)
	}
	args[len(args)-1] = "60"
	cmd, _ = sweepOf(t, dir, args...)
	other := finish(t, cmd)
	other.expectCode(t, 2)
	other.expectSays(t, "list of arguments")
}

// TestSweepIsEnded ends a sweep while a job runs, politely and not: no process is left.
func TestSweepIsEnded(t *testing.T) {
	t.Parallel()
	for _, how := range []struct {
		signal syscall.Signal
		code   int
		says   string
	}{{syscall.SIGINT, 130, "goes on from here"}, {syscall.SIGKILL, -1, ""}} {
		t.Run(how.signal.String(), func(t *testing.T) {
			t.Parallel()
			cmd, mark := sweepOf(t, t.TempDir(), "--vp", "4", "--p", "2", "--", program(t, ownDir+"/busy.c"))
			var said strings.Builder
			cmd.Stderr = &said
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			await(t, "sweep, manager and workers", func() bool { return len(processes(mark)) >= 4 })
			cmd.Process.Signal(how.signal)
			cmd.Wait()
			if how.code < 0 {
				awaitGone(t, mark)
				return
			}
			checkGone(t, mark, cmd.Args)
			if code := cmd.ProcessState.ExitCode(); code != how.code || !strings.Contains(said.String(), how.says) {
				t.Errorf("exit code %d, it says %s", code, &said)
			}
		})
	}
}

// TestSweepReportsFailures: points whose runs fail are named with what they said; the exit code tells.
func TestSweepReportsFailures(t *testing.T) {
	t.Parallel()
	cmd, mark := sweepOf(t, t.TempDir(), "--vp", "1,2", "--p", "1", "--repeat", "2", "--", "/bin/sh", "-c", "exit 3")
	r := finish(t, cmd)
	checkGone(t, mark, cmd.Args)
	r.expectCode(t, 1)
	r.expectSays(t, "failed: exit code", "all runs failed", "2 of 2 points failed")
}

// TestSweepRefuses: one line, and nothing is made.
func TestSweepRefuses(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for want, args := range map[string][]string{
		"--vp is missing":                {"/bin/true"},
		"--vp: \"x\" is not":             {"--vp", "2,x", "/bin/true"},
		"--lb: no strategy is called":    {"--vp", "2", "--lb", "best", "/bin/true"},
		"no program given":               {"--vp", "2", "--"},
		"+vp: is the sweep's to set":     {"--vp", "2", "--", "+vp", "3", "/bin/true"},
		"+p: is the sweep's to set":      {"--vp", "2", "+p2", "/bin/true"},
		"--p 4: more workers than the 2": {"--vp", "2,8", "--p", "4", "/bin/true"},
		"unknown option --stak":          {"--vp", "2", "--", "--stak", "8M", "/bin/true"},
		"nowhere":                        {"--vp", "2", "--", "./nowhere"},
		"there is no group":              {"--vp", "2", "--metric", "[0-9]", "/bin/true"},
		"--repeat 0":                     {"--vp", "2", "--repeat", "0", "/bin/true"},
		"-wdir: makes no sense":          {"--vp", "2", "--", "-wdir", "/", "/bin/true"},
		"+trace: makes no sense":         {"--vp", "2", "--", "+trace", "t", "/bin/true"},
	} {
		cmd, _ := sweepOf(t, dir, args...)
		r := finish(t, cmd)
		r.expectCode(t, 2)
		r.expectSays(t, want)
		if n := strings.Count(strings.TrimSpace(r.stderr), "\n"); n != 0 {
			t.Errorf("%v: %d lines\n%s", args, n+1, r.output())
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left: %v, %v", left, err)
	}
}
