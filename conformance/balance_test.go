package conformance

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	imbalance = root + "/bench/programs/imbalance.c"
	ampiDir   = root + "/testdata/ampi"
)

// imbalanceBefore is how many iterations of even work imbalance begins with.
const imbalanceBefore = 160

// busy reads from +stats how long each PE was busy.
func busy(t *testing.T, r result) (seconds []float64) {
	for _, m := range regexp.MustCompile(`(?m)^ +\d+ +([0-9.]+) +[0-9.]+ +[0-9.]+ +\d+ +\d+ *$`).FindAllStringSubmatch(r.stderr, -1) {
		s, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			t.Fatal(err)
		}
		seconds = append(seconds, s)
	}
	if len(seconds) != 2 {
		t.Fatalf("%s: no rows of two PEs\n%s", r.what, r.output())
	}
	return seconds
}

// uneven is how much longer the busier of two PEs was busy than the mean of both, as a factor.
func uneven(seconds []float64) float64 {
	return 2 * max(seconds[0], seconds[1]) / (seconds[0] + seconds[1])
}

// expectEven checks that the busier of two PEs was busy at most so many times the mean. Others on the machine can make any one run
// uneven, so there are three.
func expectEven(t *testing.T, j job, r result, most float64) {
	t.Helper()
	for i := 0; uneven(busy(t, r)) > most; i++ {
		if i == 2 {
			t.Errorf("%s: the busier PE has %.2f times the mean, want at most %.2f\n%s", r.what, uneven(busy(t, r)), most, r.output())
			return
		}
		r = j.run(t)
	}
}

var sumLine = regexp.MustCompile(`sum \d+`)

// TestBalancing runs programs that know nothing of balancing: their results stay the same, ranks move, and the PEs share the work.
func TestBalancing(t *testing.T) {
	t.Parallel()
	for _, what := range []string{"slope", "spot"} {
		t.Run(what, func(t *testing.T) {
			j := job{program: program(t, imbalance), args: []string{what, "300", "150"}, workers: 2, ranks: 64, flags: []string{"+stats", "+lb-period", "100ms"}}
			without := j.run(t)
			without.expectCode(t, 0)
			j.flags = append(j.flags, "+lb", "GreedyRefineLB")
			with := j.run(t)
			with.expectCode(t, 0)
			if a, b := sumLine.FindString(without.stdout), sumLine.FindString(with.stdout); a == "" || a != b {
				t.Errorf("without balancing it says %q, with it %q", a, b)
			}
			if moves := regexp.MustCompile(`balancing: \d+ steps, [1-9]\d* moves`); !moves.MatchString(with.stderr) {
				t.Errorf("%s: no moves\n%s", with.what, with.output())
			}
			if strings.Contains(without.stderr, "balancing") {
				t.Errorf("%s: balances unasked\n%s", without.what, without.output())
			}
			expectEven(t, j, with, 1.10)
		})
	}
}

// TestBalancingAuto checks that +lb alone finds the imbalance by itself.
func TestBalancingAuto(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, imbalance), args: []string{"slope", "400", "150"}, workers: 2, ranks: 64, flags: []string{"+stats", "+lb", "GreedyRefine"}}
	r := j.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "balancing at ")
	expectEven(t, j, r, 1.25) // 1.5 without
}

// TestStealing checks that idle workers take ranks from busy ones, with the result unchanged.
func TestStealing(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, imbalance), args: []string{"slope", "300", "150"}, workers: 2, ranks: 64, flags: []string{"+stats"}}
	without := j.run(t)
	j.flags = append(j.flags, "+steal")
	r := j.run(t)
	r.expectCode(t, 0)
	if a, b := sumLine.FindString(without.stdout), sumLine.FindString(r.stdout); a == "" || a != b {
		t.Errorf("without stealing it says %q, with it %q", a, b)
	}
	if !regexp.MustCompile(`(?m)^stolen: [1-9]`).MatchString(r.stderr) {
		t.Errorf("%s: nothing is stolen\n%s", r.what, r.output())
	}
	expectEven(t, j, r, 1.25) // 1.5 without
}

var stolenLine = regexp.MustCompile(`(?m)^stolen: ([0-9]+) ranks`)

// stolenIn is how many ranks +stats says were stolen.
func stolenIn(stderr string) int {
	m := stolenLine.FindStringSubmatch(stderr)
	if m == nil {
		return 0
	}
	n, _ := strconv.Atoi(m[1])
	return n
}

// TestStealingUnderTraffic steals ranks in the midst of random traffic, among them those that stay, and those that must be asked for because
// their worker has something to hand over.
func TestStealingUnderTraffic(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/steals.c", "-O1")
	type row struct {
		workers int
		flags   string
		again   int
	}
	var rows []row
	for again := range amount(1, 3) {
		for _, flags := range []string{"", "+lb GreedyRefine +lb-period 20ms", "+lb RandCent +lb-period 5ms", "+privatize fs"} {
			for workers := 1; workers <= amount(2, 4); workers++ {
				rows = append(rows, row{workers, flags, again})
			}
		}
	}
	each(t, rows, func(r row) string { return fmt.Sprint(r) }, func(t *testing.T, c row) {
		ranks := 12 + 7*c.workers + c.again
		dir := t.TempDir()
		if strings.Contains(c.flags, "fs") { // there the files of a rank are its worker's
			dir = "-"
		}
		r := job{program: path, args: []string{"150", dir}, workers: c.workers, ranks: ranks,
			flags: append(strings.Fields(c.flags), "+stats", "+steal")}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS steals\n")
		if n := stolenIn(r.stderr); c.workers > 1 && n == 0 && !strings.Contains(c.flags, "fs") {
			t.Errorf("%s: nothing was stolen\n%s", r.what, r.output())
		}
	})
}

// TestAMPI runs programs written for AMPI. Those named manual look where they are, so nobody may move them unasked.
func TestAMPI(t *testing.T) {
	t.Parallel()
	asked := [][]string{nil, {"+lb", "Rotate", "+lb-period", "calls"}}
	for _, c := range []struct {
		source string
		build  []string
		args   []string
		flags  [][]string
	}{
		{"migrate.c", nil, nil, append(asked, []string{"+balancer", "RefineLB"})},
		{"migrate_f.f90", nil, nil, append(asked, []string{"+balancer", "RefineLB"})},
		{"manual.c", nil, nil, asked},
		{"manual_f.f90", nil, []string{"short", "longer-than-eight"}, asked},
		{"pup.c", nil, nil, append(asked, []string{"+lb", "Rotate", "+migrate", "copy"})},
		{"compat.c", []string{"-ampi-compat"}, nil, asked[:1]},
		{"mpi_main.f90", nil, []string{"word"}, asked[:1]},
	} {
		for _, flags := range c.flags {
			t.Run(c.source+strings.Join(flags, ""), func(t *testing.T) {
				t.Parallel()
				r := job{program: program(t, ampiDir+"/"+c.source, c.build...), args: c.args, workers: 2, ranks: 16, flags: flags}.run(t)
				r.expectCode(t, 0)
				r.expectSays(t, "PASS "+strings.TrimSuffix(c.source, filepath.Ext(c.source)))
			})
		}
	}
}

// TestAMPIRestart: functions of AMPI_Register_pup unpack after a restart.
func TestAMPIRestart(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "saved")
	first := job{program: program(t, ampiDir+"/pup_restart.c"), workers: 2, ranks: 4, flags: []string{"+ckpt", dir}}.run(t)
	first.expectCode(t, 3)
	cmd := exec.Command(tool("ampirun"), "+restart", dir)
	job{dir: dir}.prepare(t, cmd)
	again := finish(t, cmd)
	again.expectCode(t, 0)
	again.expectSays(t, "PASS pup_restart")
}

// TestLinkedBalancer: what a program is linked with is the default of +lb. A heap outside of the slices makes ampirun tell which it is.
func TestLinkedBalancer(t *testing.T) {
	t.Parallel()
	path := program(t, ampiDir+"/manual.c", "-balancer", "GreedyLB", "-module", "CommonLBs")
	for _, c := range []struct{ flags, says string }{{"", "+lb Greedy:"}, {"+lb RefineLB", "+lb Refine:"}} {
		r := job{program: path, workers: 2, ranks: 4, flags: append(strings.Fields(c.flags), "+heap", "host")}.run(t)
		r.expectSays(t, c.says)
	}
}

// TestMapping checks where ranks begin.
func TestMapping(t *testing.T) {
	t.Parallel()
	file, lines := filepath.Join(t.TempDir(), "map"), filepath.Join(t.TempDir(), "pes")
	for name, text := range map[string]string{file: "2 1\n* 0\n", lines: "0 # rank 0\n1\n\n1\n0\n"} {
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct{ mapping, want string }{{"block", "0 0 1 1"}, {"rr", "0 1 0 1"}, {"prop", "0 0 1 1"}, {"file:" + file, "0 0 1 0"},
		{"file:" + lines, "0 1 1 0"}, {"RR_MAP", "0 1 0 1"}} {
		r := job{program: program(t, ownDir+"/where.c"), workers: 2, ranks: 4, flags: []string{"+mapping", c.mapping}}.run(t)
		r.expectCode(t, 0)
		if strings.TrimSpace(r.stdout) != c.want {
			t.Errorf("+mapping %s: ranks are on %s, want %s", c.mapping, strings.TrimSpace(r.stdout), c.want)
		}
	}
}
