package job

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"ampirun/internal/wire"
	"ampirun/job/control"
	"ampirun/vrank"
)

// startLasting starts a job that outlives its workers.
func startLasting(t *testing.T, mode string, how Checkpoints) *runningManager {
	t.Helper()
	return startLive(t, func(o *Options) {
		o.FT, o.Checkpoints, o.Stats = &FT{Mode: mode, MaxFailures: 3, Timeout: time.Hour}, &how, true
	}, "last").workers()
}

// status is what the job says of itself, once that satisfies a condition.
func (l *runningManager) status(what string, condition func(*control.Status) bool) (s *control.Status) {
	l.t.Helper()
	waitFor(l.t, what, func() bool {
		s = l.mustAsk("status").Status
		return condition(s)
	})
	return s
}

// TestStatusOfMemory has a job copied in memory, and kills a worker: status tells of both, and +stats at the end.
func TestStatusOfMemory(t *testing.T) {
	l := startLasting(t, FTMemory, Checkpoints{MTBF: 1000 * time.Hour, OnTerm: true})
	s := l.mustAsk("status").Status
	if s.Checkpoints != nil || s.FT == nil || s.FT.Mode != FTMemory || s.FT.MaxFailures != 3 || len(s.FT.Failures) != 0 {
		t.Fatalf("%+v", s)
	}
	if c := s.FT.Copy; c == nil || c.Every <= 0 || c.Made != 0 || c.Age != nil {
		t.Errorf("before the first copy: %+v", c)
	}
	for _, want := range []string{"copy 1 in memory: the ranks stood still for 2.5 ms", "copy 2 in memory: the ranks stood still for 2.5 ms"} {
		if r := l.mustAsk("checkpoint"); r.Text != want {
			t.Errorf("%+v", r)
		}
	}
	if c := l.mustAsk("status").Status.FT.Copy; c.Made != 2 || c.Age == nil || *c.Age < 0 || c.Pause != fakePause {
		t.Errorf("after two copies: %+v", c)
	}
	syscall.Kill(l.pids[1], syscall.SIGKILL)
	s = l.status("the failure to be made good", func(s *control.Status) bool { return len(s.FT.Failures) == 1 && s.FT.Failures[0].Took > 0 })
	if f := s.FT.Failures[0]; !strings.Contains(f.What, "killed by signal 9") || f.When.IsZero() || s.State != "runs" {
		t.Errorf("%+v, the job %s", f, s.State)
	}
	if c := s.FT.Copy; c.Made != 2 || c.Age == nil {
		t.Errorf("after a failure: %+v", c)
	}
	for _, w := range s.Workers {
		l.pids[w.PE] = w.PID
	}
	l.signal(syscall.SIGTERM)
	_, stderr := l.end()
	for _, want := range []string{"copies in memory: 2, pause 2.5 ms on average, 2.5 ms at most\n", "\ninterval ", "\nrecovery/ms  from\n", "killed by signal 9"} {
		if !strings.Contains(stderr, want) {
			t.Errorf("+stats prints no %q:\n%s", want, stderr)
		}
	}
}

// TestStatusOfDisk checks that a job that goes on from the disk has no copy in memory, and one that does not go on no failures.
func TestStatusOfDisk(t *testing.T) {
	l := startLasting(t, FTDisk, Checkpoints{Dir: t.TempDir(), Every: time.Hour})
	s := l.mustAsk("status").Status
	if s.FT == nil || s.FT.Mode != FTDisk || s.FT.Copy != nil || s.Checkpoints == nil || s.Checkpoints.Every != 3600 {
		t.Errorf("%+v, %+v", s.FT, s.Checkpoints)
	}
	l.signal(syscall.SIGTERM)
	l.end()
	l = startHanging(t)
	if s := l.mustAsk("status").Status; s.FT != nil {
		t.Errorf("without +ft: %+v", s.FT)
	}
	l.stop()
}

// TestRecoveryOfSeveral counts the time from each failure until ranks run, also when the next one came before they did.
func TestRecoveryOfSeveral(t *testing.T) {
	r := recovery{history: []recovered{{what: "a", took: time.Second}, {what: "b", when: time.Now().Add(-2 * time.Hour)}, {what: "c", when: time.Now().Add(-time.Hour)}}}
	if !r.isUnderWay() {
		t.Error("nobody waits for anything")
	}
	r.ended()
	if h := r.history; r.isUnderWay() || h[0].took != time.Second || h[1].took < 2*time.Hour || h[2].took < time.Hour || h[2].took > h[1].took {
		t.Errorf("%+v", h)
	}
}

// TestRecoveryFromNonsense has a worker say what nobody understands: that is a failure like others.
func TestRecoveryFromNonsense(t *testing.T) {
	for text, want := range map[string]string{
		"nonsense":                 "sent no readable message",
		"\x00\x00\x00\x08nonsense": "sent no readable message",
		string(wire.Frame(message{Kind: "nonsense"})):                                       `sent an unexpected "nonsense" message`,
		string(wire.Frame(message{Kind: kindEvent, Event: &vrank.Event{Kind: "nonsense"}})): `sent an unexpected "nonsense" event`,
	} {
		said := hex.EncodeToString([]byte(text)) // arguments have no zero bytes
		mark := filepath.Join(t.TempDir(), "mark")
		r := run(t, func(o *Options) {
			o.FT, o.Checkpoints = &FT{Mode: FTMemory, MaxFailures: 3, Timeout: time.Hour}, &Checkpoints{}
		}, "babble", mark, said)
		lines := strings.Split(r.stdout, "\n")
		slices.Sort(lines)
		if got := strings.Join(lines, ","); r.code != 0 || got != ",hello from 0 of 4,hello from 1 of 4,hello from 2 of 4,hello from 3 of 4" {
			t.Errorf("%q: code %d, stdout %q, stderr %q", text, r.code, r.stdout, r.stderr)
		}
		if !strings.Contains(r.stderr, want) || !strings.Contains(r.stderr, "; beginning anew") {
			t.Errorf("%q: stderr %q", text, r.stderr)
		}
		if err := os.Remove(mark); err != nil {
			t.Fatal(err)
		}
		if r = run(t, nil, "babble", mark, said); r.code != 1 || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "anew") {
			t.Errorf("%q, without +ft: code %d, stderr %q", text, r.code, r.stderr)
		}
	}
}
