package conformance

import (
	"fmt"
	"path/filepath"
	"testing"
)

const iterations = 100

// TestRestartTraced looks at jobs that go on: a timeline and a trace for balancing begin with the restart, whether the job was looked at before or
// not, in as many workers as before or not.
func TestRestartTraced(t *testing.T) {
	t.Parallel()
	path := program(t, imbalance)
	each(t, []int{1, 2, 3}, func(workers int) string { return fmt.Sprint(workers) }, func(t *testing.T, workers int) {
		const ranks = 12
		dir := t.TempDir()
		j := job{program: path, args: []string{"slope", fmt.Sprint(iterations), "100"}, workers: 2, ranks: ranks, env: shuffled("2ms")}
		l := j.begin(t, "+ckpt-every", often, "+trace", filepath.Join(dir, "before"), "+trace-limit", "1G")
		if !l.saved() {
			t.Fatalf("ended before it was saved: %s", short(l.err.String()))
		}
		l.kill()
		file, recorded := filepath.Join(dir, "trace"), filepath.Join(dir, "record")
		l.goOn("+p", fmt.Sprint(workers), "+trace", file, "+trace-limit", "1G", "+stats", "+progress", "+lb-record", recorded)
		r := l.end()
		r.expectCode(t, 0)
		tr := readPerfetto(t, file)
		if seconds := tr.ranTime(t, workers); workers == 2 {
			expectBusy(t, r, seconds)
		}
		l.expectSends(tr, ranks)
		if job := tr.named("job"); len(job) != 1 || job[0].numbers["ranks"] != ranks || job[0].numbers["pes"] != uint64(workers) {
			t.Errorf("%s: says of the job %+v", r.what, job)
		}
		expectReport(t, file, fmt.Sprintf(">%d ranks on %d PE", ranks, workers), fmt.Sprintf(">%d</b><span>moves<", len(tr.named("arrives"))))
		l.expectRecord(r, recorded, workers, ranks, tr)
	})
}

// expectSends checks messages of a timeline: what is received was sent, but for what is sent and left out at the end.
func (l *life) expectSends(tr *perfettoTrace, ranks int) {
	l.t.Helper()
	sends, receives := tr.named("send"), tr.named("receive")
	sent := map[uint64]bool{}
	for _, e := range sends {
		sent[e.flow] = true
	}
	for _, e := range receives {
		if !sent[e.flowEnd] {
			l.t.Errorf("flow %#x ends and has no beginning", e.flowEnd)
		}
	}
	if all := (imbalanceBefore + iterations) * ranks; len(sends) == 0 || len(sends) > all {
		l.t.Errorf("%d messages are shown, of %d that the whole job sends", len(sends), all)
	}
}

// expectRecord checks that a trace for balancing is about the same messages as the timeline: in each iteration every rank sends one, and there is
// a sum, up and down a tree; all of 8 bytes.
func (l *life) expectRecord(r result, file string, workers, ranks int, tr *perfettoTrace) {
	l.t.Helper()
	got := readTrace(l.t, file)
	if got.Ranks != ranks || len(got.PEs) != workers || got.cut || len(got.steps) == 0 {
		l.t.Fatalf("%s: the trace has %d ranks on %d PEs, %d steps, cut: %v", r.what, got.Ranks, len(got.PEs), len(got.steps), got.cut)
	}
	sent, iteration := 0, 8*(ranks+2*(ranks-1))
	for _, s := range got.steps {
		for _, n := range s.Graph.Bytes {
			sent += int(n)
		}
	}
	if want := len(tr.named("send")) * iteration / ranks; sent < want-4*iteration || sent > want+4*iteration {
		l.t.Errorf("%s: %d bytes are recorded, %d are those of the messages that are shown", r.what, sent, want)
	}
}
