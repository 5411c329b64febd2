package conformance

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"ampirun/job/control"
)

const travelRounds = "600"

// startTravel starts a job whose ranks are moved all the time and exchange all kinds of messages.
func startTravel(t *testing.T, workers int, flags ...string) *life {
	t.Helper()
	path := program(t, ownDir+"/travel.c", "-O1")
	cmd, mark := job{program: path, args: []string{travelRounds, t.TempDir(), "plain"}, workers: workers, ranks: 7, flags: flags, env: shuffled("500us")}.command(t)
	l := &life{t: t}
	l.start(cmd, mark)
	return l
}

// travelled is what a job of startTravel writes that nobody has disturbed, in the order of the alphabet.
func travelled(t *testing.T) string {
	t.Helper()
	r := job{program: program(t, ownDir+"/travel.c", "-O1"), args: []string{travelRounds, t.TempDir(), "plain"}, workers: 3, ranks: 7}.run(t)
	r.expectCode(t, 0)
	return sortedLines(r.stdout)
}

// endSame waits for the end of a job, which has written that.
func (l *life) endSame(travelled string) {
	l.t.Helper()
	r := l.end()
	r.expectCode(l.t, 0)
	if got := sortedLines(r.stdout); got != travelled {
		l.t.Errorf("%s: prints something else than undisturbed\n%s\nsorted: %s\nwant: %s", r.what, r.output(), short(got), short(travelled))
	}
}

// rescale changes the number of workers at random moments, a few times; wait counts how often that was done.
func (l *life) rescale(most int) (wait func() int64) {
	var done atomic.Int64
	var wg sync.WaitGroup
	pid := l.cmd.Process.Pid
	wg.Go(func() {
		for i := 0; i < 15 && !l.isOver(); i++ {
			time.Sleep(time.Duration(rand.IntN(150)) * time.Millisecond)
			if tell(l.t, pid, control.Request{Verb: "scale", Args: []int{1 + rand.IntN(most)}}) == nil {
				done.Add(1)
			}
		}
	})
	return func() int64 { wg.Wait(); return done.Load() }
}

// TestRescale changes the number of workers of a job again and again, which nobody notices from its output.
func TestRescale(t *testing.T) {
	t.Parallel()
	want := travelled(t)
	saves := func() string { return filepath.Join(t.TempDir(), "saves") }
	rows := [][]string{
		{"plain"},
		{"memory", "+ft", "memory", "+ckpt-every", often},
		{"steal", "+steal"},
		{"balanced", "+lb", "RotateLB", "+lb-period", "0.05"},
		{"saved", "+ckpt", saves(), "+ckpt-every", often},
		{"disk", "+ft", "disk", "+ckpt", saves(), "+ckpt-every", often},
	}
	each(t, amount(rows[:2], rows), func(row []string) string { return row[0] }, func(t *testing.T, row []string) {
		l := startTravel(t, 1, row[1:]...)
		scaled := l.rescale(5)
		l.endSame(want)
		if n := scaled(); n < 5 {
			t.Errorf("the job was scaled %d times", n)
		}
	})
}

// TestRescaleKilled kills workers while others take their places.
func TestRescaleKilled(t *testing.T) {
	t.Parallel()
	want := travelled(t)
	each(t, ways(t), func(way []string) string { return way[0] }, func(t *testing.T, way []string) {
		l := startTravel(t, 3, append(way[1:], "+ft-max-failures", "1000")...)
		scaled := l.rescale(4)
		l.harass(amount(3, 10), 250)
		l.endSame(want)
		scaled()
	})
}

// TestRescaleFails kills a worker during a change of workers, where nothing makes that good: the job ends at once or has not noticed.
func TestRescaleFails(t *testing.T) {
	t.Parallel()
	want := travelled(t)
	for range amount(5, 20) {
		l := startTravel(t, 2)
		l.await(func() bool { return strings.Contains(l.out.String(), "rank 0 line 10\n") })
		asked := make(chan error, 1)
		go func() { asked <- tell(t, l.cmd.Process.Pid, control.Request{Verb: "scale", Args: []int{4}}) }()
		time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
		if !l.strike(syscall.SIGKILL) {
			l.cmd.Process.Signal(syscall.SIGTERM)
			l.end()
			<-asked
			continue
		}
		if r := l.end(); r.code == 0 { // the worker had left already, and was only not gone yet
			l.endSame(want)
		} else {
			r.expectCode(t, 128+int(syscall.SIGKILL))
			r.expectSays(t, "was killed by signal 9 (SIGKILL)")
		}
		<-asked
	}
}

// TestRescaleEnds ends jobs whose workers are being replaced: nothing is left of them, and whoever has asked is told.
func TestRescaleEnds(t *testing.T) {
	t.Parallel()
	each(t, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}, func(sig syscall.Signal) string { return sig.String() }, func(t *testing.T, sig syscall.Signal) {
		for range 10 {
			l := startTravel(t, 2)
			l.await(func() bool { return strings.Contains(l.out.String(), "rank 0 line 10\n") })
			asked := make(chan error, 1)
			go func() { asked <- tell(t, l.cmd.Process.Pid, control.Request{Verb: "scale", Args: []int{3}}) }()
			time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
			l.cmd.Process.Signal(sig)
			<-l.over
			awaitGone(t, l.mark)
			<-asked
			if code := l.cmd.ProcessState.ExitCode(); sig != syscall.SIGKILL && code != 128+int(sig) {
				t.Errorf("%s: code %d after %v\n%s", commandLine(l.cmd), code, sig, short(l.err.String()))
			}
		}
	})
}

// TestRescaleStopped stops a worker that is to be replaced, which is made good like its end where failures are.
func TestRescaleStopped(t *testing.T) {
	t.Parallel()
	want := travelled(t)
	for range amount(1, 4) {
		l := startTravel(t, 3, "+ft", "memory", "+ckpt-every", often, "+ft-timeout", "1", "+ft-max-failures", "1000")
		l.await(func() bool { return strings.Contains(l.out.String(), "rank 0 line 10\n") })
		scaled := l.rescale(4)
		for range 3 {
			time.Sleep(time.Duration(rand.IntN(100)) * time.Millisecond)
			l.strike(syscall.SIGSTOP)
		}
		l.endSame(want)
		scaled()
	}
}

// TestRescaleMany refuses more workers than a job has been prepared for.
func TestRescaleMany(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, ownDir+"/busy.c"), args: []string{"talk"}, workers: 1, ranks: 70}.start(t, 70)
	l.expectCtl(t, 2, "65 workers: the job can have 64 at most", "scale", "65")
	l.expectCtl(t, 0, "the job has 7 workers now", "scale", "7")
	l.stop(t)
}

// TestRescaleUnsavable refuses to give ranks to other workers that cannot go, and lets them go on.
func TestRescaleUnsavable(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, ownDir+"/stays.c"), workers: 2, ranks: 4}.start(t, 4)
	before := workers(l.mark)
	l.expectCtl(t, 1, "cannot be saved: it has ", "scale", "3")
	l.expectCtl(t, 1, "cannot be saved: it has ", "scale", "1")
	if after := workers(l.mark); fmt.Sprint(after) != fmt.Sprint(before) {
		t.Errorf("workers were replaced: %v, %v", before, after)
	}
	l.stop(t)
}

// TestRescaleSteered has others save, look at and move ranks of a job whose workers come and go and fail.
func TestRescaleSteered(t *testing.T) {
	t.Parallel()
	want := travelled(t)
	l := startTravel(t, 2, "+ft", "memory", "+ckpt", filepath.Join(t.TempDir(), "saves"), "+ft-max-failures", "1000", "+stats")
	scaled := l.rescale(4)
	var wg sync.WaitGroup
	pid := l.cmd.Process.Pid
	for _, verb := range []string{"checkpoint", "status", "ranks", "backtrace", "migrate"} {
		wg.Go(func() {
			for !l.isOver() {
				r := control.Request{Verb: verb}
				if verb == "migrate" {
					r.Args = []int{rand.IntN(7), rand.IntN(4)}
				}
				tell(t, pid, r)
				time.Sleep(time.Duration(rand.IntN(50)) * time.Millisecond)
			}
		})
	}
	l.harass(5, 500)
	l.endSame(want)
	scaled()
	wg.Wait()
}

// TestRescaleInput changes the number of workers while rank 0 reads from a pipe or a file: it gets all of it once, in order.
func TestRescaleInput(t *testing.T) {
	t.Parallel()
	text, file := numbersToRead(t)
	j := job{program: program(t, ownDir+"/fails.c"), args: []string{"input"}, workers: 1, ranks: 5, stdin: text}
	want := j.run(t)
	want.expectCode(t, 0)
	for _, ft := range [][]string{nil, {"+ft", "memory", "+ckpt-every", often}} {
		for _, kind := range []string{"file", "pipe"} {
			t.Run(strings.Join(append([]string{kind}, ft...), " "), func(t *testing.T) {
				t.Parallel()
				j := j
				j.stdin, j.flags = "", ft
				cmd, mark := j.command(t)
				feedNumbers(t, cmd, kind, text, file)
				l := &life{t: t}
				l.start(cmd, mark)
				l.await(func() bool { return strings.Contains(l.out.String(), "round 3 ") })
				scaled := l.rescale(4)
				r := l.end()
				r.expectCode(t, 0)
				if r.stdout != want.stdout {
					t.Errorf("%s: prints something else than undisturbed\n%s\nwant: %s", r.what, r.output(), short(want.stdout))
				}
				if n := scaled(); n < 2 {
					t.Errorf("%s: was scaled %d times", r.what, n)
				}
			})
		}
	}
}
