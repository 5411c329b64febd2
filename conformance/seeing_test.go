package conformance

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// traced runs a job with +trace and +stats and decodes what it wrote.
func traced(t *testing.T, j job) (*perfettoTrace, result, string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "trace")
	j.flags = append(j.flags, "+stats", "+trace", file)
	r := j.run(t)
	r.expectCode(t, 0)
	return readPerfetto(t, file), r, file
}

// ranTime is the time of ranks in the slices of all PEs in seconds, by rank; what was added up has the rank -1. shown are the ranks
// that have slices.
func (tr *perfettoTrace) ranTime(t *testing.T, pes int) (seconds map[int]float64) {
	t.Helper()
	seconds = map[int]float64{}
	for pe := range pes {
		for _, s := range tr.slices(t, tr.trackNamed(t, fmt.Sprintf("PE %d", pe))) {
			var rank int
			switch {
			case s.name == "idle":
			case s.name == "many runs":
				seconds[-1] += float64(s.begin.numbers["busy_ns"]) / 1e9
			default:
				if n, err := fmt.Sscanf(s.name, "rank %d", &rank); n != 1 {
					t.Fatalf("PE %d has the slice %q: %v", pe, s.name, err)
				}
				seconds[rank] += float64(s.to-s.from) / 1e9
			}
		}
	}
	return seconds
}

// expectBusy compares the time of ranks in slices with what +stats says.
func expectBusy(t *testing.T, r result, seconds map[int]float64) {
	t.Helper()
	sum, want := 0.0, 0.0
	for _, s := range seconds {
		sum += s
	}
	for _, s := range busy(t, r) {
		want += s
	}
	if math.Abs(sum-want) > 0.03*want+0.01 {
		t.Errorf("%s: slices take %.3f s in all, +stats says %.3f\n%s", r.what, sum, want, r.output())
	}
}

// statsMoves adds up the last column of the ranks' table.
func statsMoves(t *testing.T, r result) (sum int) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^ +\d+ .* [KM]iB +(\d+)$`).FindAllStringSubmatch(r.stderr, -1) {
		n, _ := strconv.Atoi(m[1])
		sum += n
	}
	return sum
}

// TestTrace checks a timeline of a real run against +stats, with a decoder of its own.
func TestTrace(t *testing.T) {
	t.Parallel()
	const ranks = 16
	j := job{program: program(t, imbalance), args: []string{"slope", "100", "300"}, workers: 2, ranks: ranks,
		flags: []string{"+lb", "GreedyRefine", "+lb-period", "100ms", "+trace-limit", "1G"}}
	tr, r, file := traced(t, j)
	seconds := tr.ranTime(t, 2)
	for rank := range ranks {
		if seconds[rank] == 0 {
			t.Errorf("%s: rank %d has no slice", r.what, rank)
		}
	}
	expectBusy(t, r, seconds)
	came := tr.named("arrives")
	if moves := statsMoves(t, r); moves == 0 || len(came) != moves || len(tr.named("leaves")) != moves {
		t.Errorf("%s: %d ranks leave and %d arrive, +stats has %d moves\n%s", r.what, len(tr.named("leaves")), len(came), moves, r.output())
	}
	tr.expectFlows(t, append(tr.named("leaves"), tr.named("send")...), append(came, tr.named("receive")...))
	if want := (imbalanceBefore + 100) * ranks; len(tr.named("send")) != want {
		t.Errorf("%s: %d messages are shown, want %d", r.what, len(tr.named("send")), want)
	}
	steps := regexp.MustCompile(`balancing: (\d+) steps`).FindStringSubmatch(r.stderr)
	if len(steps) != 2 || fmt.Sprint(len(tr.named("balancing"))) != steps[1] {
		t.Errorf("%s: %d balancing steps\n%s", r.what, len(tr.named("balancing")), r.output())
	}
	if job := tr.named("job"); len(job) != 1 || job[0].numbers["ranks"] != ranks || job[0].numbers["pes"] != 2 {
		t.Errorf("%s: says of the job %+v", r.what, job)
	}
	if waits := tr.named("rank 3"); len(waits) == 0 || !strings.HasPrefix(waits[len(waits)/2].texts["then"], "MPI_") {
		t.Errorf("%s: does not say in which call rank 3 waits", r.what)
	}
	expectReport(t, file, fmt.Sprintf(">%d</b><span>moves<", len(came)), ">16 ranks on 2 PEs<", fmt.Sprintf("rank 15 to rank 0: %d messages", imbalanceBefore+100), "GreedyRefine")
}

// expectFlows checks that each end of a flow has its beginning, not later, and nothing has two.
func (tr *perfettoTrace) expectFlows(t *testing.T, begins, ends []*perfettoEvent) {
	t.Helper()
	at := map[uint64]*perfettoEvent{}
	for _, e := range begins {
		if at[e.flow] != nil || e.flow == 0 {
			t.Fatalf("flow %#x begins twice, or is 0", e.flow)
		}
		at[e.flow] = e
	}
	for _, e := range ends {
		b := at[e.flowEnd]
		if b == nil {
			t.Fatalf("flow %#x ends and has no beginning", e.flowEnd)
		}
		if b.at > e.at+1000 { // the counters of two cores may differ by a little
			t.Errorf("flow %#x ends %d ns before it begins", e.flowEnd, b.at-e.at)
		}
		if to, sends := b.numbers["to"]; sends && to != e.numbers["rank"] {
			t.Errorf("a message for rank %d is received by rank %d", to, e.numbers["rank"])
		}
		delete(at, e.flowEnd)
	}
	if len(at) > 0 {
		t.Errorf("%d flows have no end", len(at))
	}
}

// expectReport makes a page of a timeline and looks for words in it.
func expectReport(t *testing.T, file string, words ...string) {
	t.Helper()
	page := filepath.Join(t.TempDir(), "page.html")
	r := runTool(t, "ampirun", "report", file, "-o", page)
	r.expectCode(t, 0)
	r.expectSays(t, page)
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range words {
		if !strings.Contains(string(text), w) {
			t.Errorf("%s: the page has no %q", r.what, w)
		}
	}
}

// TestTraceLimit checks that a rank that switches all the time does not make a huge file, and that its time is counted all the same.
func TestTraceLimit(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, imbalance), args: []string{"even", "3000", "1"}, workers: 2, ranks: 32, flags: []string{"+trace-limit", "64K"}}
	tr, r, file := traced(t, j)
	seconds := tr.ranTime(t, 2)
	expectBusy(t, r, seconds)
	if seconds[-1] == 0 {
		t.Errorf("%s: nothing is added up", r.what)
	}
	end := tr.named("end")
	if len(end) != 1 || end[0].numbers["messages_not_shown"]+uint64(len(tr.named("send"))) != (imbalanceBefore+3000)*32 {
		t.Errorf("%s: %d messages are shown, and says at the end: %+v", r.what, len(tr.named("send")), end)
	}
	elapsed := float64(end[0].at) / 1e9
	if info, err := os.Stat(file); err != nil || float64(info.Size()) > 3*64*1024*(elapsed+1) {
		t.Errorf("%s: %d bytes in %.2f s (%v)", r.what, info.Size(), elapsed, err)
	}
	expectReport(t, file, "came too fast")
}

// TestTraceOfAKilledJob checks that a job that dies leaves what it did until then.
func TestTraceOfAKilledJob(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace")
	r := job{program: program(t, langDir+"/fault_segv.c"), workers: 2, ranks: 4, flags: []string{"+trace", file}}.run(t)
	r.expectFailure(t)
	tr := readPerfetto(t, file)
	if seconds := tr.ranTime(t, 2); len(seconds) == 0 {
		t.Errorf("%s: no rank has a slice", r.what)
	}
	if end := tr.named("end"); len(end) != 1 || end[0].numbers["exit_code"] != 139 || !strings.Contains(end[0].texts["reason"], "SIGSEGV") {
		t.Errorf("%s: says at the end: %+v", r.what, end)
	}
	expectReport(t, file, "The job ended with code 139")
}

// TestTraceRefusals checks what is said of files that cannot be.
func TestTraceRefusals(t *testing.T) {
	t.Parallel()
	p, dir := program(t, hello), t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("hello\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for want, args := range map[string][]string{
		"ampirun: +trace: open " + dir + "/none/t: no such file or directory": {"+vp", "2", "+trace", dir + "/none/t", p},
		"ampirun: +trace-limit 1K: a timeline needs at least 64K a second":    {"+vp", "2", "+trace-limit", "1K", p},
		"ampirun: report: name one file that +trace has written":              {"report"},
		"ampirun: report: open " + dir + "/no: no such file or directory":     {"report", dir + "/no"},
		"ampirun: report: " + text + ": it is not a trace that +trace has":    {"report", text},
		"ampirun: report: flag provided but not defined: -x":                  {"report", text, "-x"},
	} {
		r := runTool(t, "ampirun", args...)
		r.expectCode(t, 2)
		r.expectSays(t, want)
	}
}

// TestProgressLines checks what is shown where standard error is no terminal: one line at the end, with all that the job did.
func TestProgressLines(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, imbalance), args: []string{"even", "50", "1"}, workers: 2, ranks: 8, flags: []string{"+progress"}}.run(t)
	r.expectCode(t, 0)
	lines := strings.Split(strings.TrimSpace(r.stderr), "\n")
	last := regexp.MustCompile(`^ampirun: [0-9.]+ m?s, [0-9.]+ of 2 PEs busy, imbalance [0-9.]+, 0 moves, [1-9][0-9.]*( [kM])? messages/s, 0 of 8 ranks$`)
	if !last.MatchString(lines[len(lines)-1]) {
		t.Errorf("%s: the last line is %q\n%s", r.what, lines[len(lines)-1], r.output())
	}
}
