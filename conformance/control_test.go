package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	refusals "ampirun/internal/refusal"
	"ampirun/job/control"
)

// ctl runs ampirun ctl for a job.
func (l *live) ctl(t *testing.T, args ...string) result {
	t.Helper()
	return runTool(t, "ampirun", append([]string{"ctl", fmt.Sprint(l.cmd.Process.Pid)}, args...)...)
}

// expectCtl checks code and words of ampirun ctl.
func (l *live) expectCtl(t *testing.T, code int, says string, args ...string) {
	t.Helper()
	r := l.ctl(t, args...)
	r.expectCode(t, code)
	r.expectSays(t, says)
	if text := r.stderr; code != 0 && (strings.Count(text, "\n") != 1 || r.stdout != "") {
		t.Errorf("%s: says more than one line: %q, %q", r.what, r.stdout, text)
	}
}

// stop ends a job by ampirun ctl, which returns when it has ended.
func (l *live) stop(t *testing.T) {
	t.Helper()
	pid := l.cmd.Process.Pid
	r := l.ctl(t, "stop")
	r.expectCode(t, 0)
	r.expectSays(t, fmt.Sprintf("job %d has ended", pid))
	checkWorkersGone(t, l.mark)
	end := l.end()
	end.expectCode(t, 128+int(syscall.SIGTERM))
	end.expectSays(t, "SIGTERM")
	checkGone(t, l.mark, l.cmd.Args)
	l.expectCtl(t, 1, "no job", "status")
}

// checkWorkersGone checks that no worker is left, at once.
func checkWorkersGone(t *testing.T, mark string) {
	t.Helper()
	if left := workers(mark); len(left) > 0 {
		t.Errorf("workers are left: %v", left)
	}
}

func TestControl(t *testing.T) {
	t.Parallel()
	l := startBusy(t, "talk")
	pid := fmt.Sprint(l.cmd.Process.Pid)
	worker := fmt.Sprint(workers(l.mark)[1].pid)

	list := runTool(t, "ampirun", "ctl")
	list.expectCode(t, 0)
	if ok, _ := regexp.MatchString(`(?m)^`+pid+` +busy +64 +2 +\S+`, list.stdout); !ok {
		t.Errorf("%s: %s", list.what, list.stdout)
	}
	var jobs []control.Status
	decode(t, runTool(t, "ampirun", "ctl", "ls", "--json"), &jobs)
	if !slices.ContainsFunc(jobs, func(s control.Status) bool { return fmt.Sprint(s.PID) == pid && s.Ranks == liveRanks }) {
		t.Errorf("job %s is not among %+v", pid, jobs)
	}
	for _, s := range jobs {
		if fmt.Sprint(s.PID) == pid {
			expectAllRanks(t, &s)
		}
	}

	l.expectCtl(t, 0, "job "+pid+": busy, 64 ranks in 2 workers; running for", "status")
	l.expectCtl(t, 0, "checkpoints: none (+ckpt)", "status")
	var s control.Status
	decode(t, runTool(t, "ampirun", "ctl", worker, "status", "--json"), &s)
	if expectAllRanks(t, &s); fmt.Sprint(s.Workers[1].PID, s.Workers[1].Alive) != worker+" true" {
		t.Errorf("%+v", s)
	}
	s = control.Status{}
	decode(t, l.ctl(t, "--json"), &s)
	expectAllRanks(t, &s)

	l.expectCtl(t, 0, "rank 5 is on PE 1 now", "migrate", "5", "1")
	l.expectCtl(t, 0, "rank 5 is on PE 1 already", "migrate", "5", "1")
	var ranks []control.RankStatus
	decode(t, l.ctl(t, "ranks", "--json"), &ranks)
	if len(ranks) != liveRanks || ranks[5].PE != 1 || ranks[5].Moves != 1 || ranks[5].Memory <= 0 || ranks[6].PE != 0 || ranks[6].Moves != 0 {
		t.Errorf("%+v", ranks)
	}
	l.expectCtl(t, 0, "rank  PE  memory", "ranks")
	l.expectCtl(t, 0, "MPI_Sendrecv_replace for rank ", "ranks")
	l.expectCtl(t, 0, "main() busy.c:", "backtrace")

	l.expectCtl(t, 2, "there is no rank 64: the job has ranks 0 to 63", "migrate", "64", "1")
	l.expectCtl(t, 2, "there is no PE 2: the job has PEs 0 to 1", "migrate", "5", "2")
	l.expectCtl(t, 2, `PE is "x", not a number`, "migrate", "5", "x")
	l.expectCtl(t, 2, "takes 2 numbers (RANK, PE), not 1", "migrate", "5")
	l.expectCtl(t, 2, "started without +ckpt DIR", "checkpoint")
	l.expectCtl(t, 2, "0 workers: the job has 64 ranks", "scale", "0")
	l.expectCtl(t, 2, "65 workers: the job has 64 ranks", "scale", "65")
	l.expectCtl(t, 0, "the job has 2 workers already", "scale", "2")
	l.expectCtl(t, 2, "ctl "+pid+" dance: there are", "dance")
	l.stop(t)
}

// expectAllRanks checks that two workers have all ranks of a job between them.
func expectAllRanks(t *testing.T, s *control.Status) {
	t.Helper()
	if len(s.Workers) != 2 || s.Workers[0].Ranks == nil || s.Workers[1].Ranks == nil || *s.Workers[0].Ranks+*s.Workers[1].Ranks != liveRanks {
		t.Fatalf("%+v", s)
	}
}

func decode(t *testing.T, r result, value any) {
	t.Helper()
	r.expectCode(t, 0)
	if err := json.Unmarshal([]byte(r.stdout), value); err != nil {
		t.Fatalf("%s: %v\n%s", r.what, err, r.stdout)
	}
}

// TestControlStays checks that ranks that do not move say why.
func TestControlStays(t *testing.T) {
	t.Parallel()
	l := startBusy(t, "talk", "+heap", "host")
	l.expectCtl(t, 2, "ranks cannot move when their heap is not in their slices (+heap host", "migrate", "5", "1")
	l.expectCtl(t, 0, "stays: its heap is the C library's (+heap)", "ranks")
	l.stop(t)
	l = job{program: program(t, ownDir+"/stays.c"), workers: 2, ranks: 4}.start(t, 4)
	l.expectCtl(t, 1, "rank 0 stays: it has memory that it shares with others", "migrate", "0", "1")
	l.expectCtl(t, 1, "rank 1 stays: it has child processes", "migrate", "1", "1")
	l.expectCtl(t, 0, "stays: it has memory that it shares with others", "ranks")
	await(t, "rank 3 to end", func() bool { return l.ctl(t, "ranks").says("ended") })
	l.expectCtl(t, 1, "rank 3 stays: it has ended", "migrate", "3", "0")
	l.expectCtl(t, 0, "rank 2 is on PE 0 now", "migrate", "2", "0")
	l.expectCtl(t, 0, "ranks: 1 of 4 have ended", "status")
	l.stop(t)
}

// TestControlPatience interrupts a client that waits for a rank that computes: the job does not mind.
func TestControlPatience(t *testing.T) {
	t.Parallel()
	l := startBusy(t, "compute")
	pes, client := []string{"1", "0"}, (*exec.Cmd)(nil)
	await(t, "a client to wait", func() bool { // the rank may still go before it computes
		client = exec.Command(tool("ampirun"), "ctl", fmt.Sprint(l.cmd.Process.Pid), "migrate", "0", pes[0])
		said := &output{}
		client.Stdout = said
		if err := client.Start(); err != nil {
			t.Fatal(err)
		}
		waits := false
		await(t, "an answer, or none", func() bool {
			waits = l.ctl(t, "ranks").says("; goes to PE " + pes[0])
			return waits || said.String() != ""
		})
		if !waits {
			client.Wait()
			slices.Reverse(pes)
		}
		return waits
	})
	l.expectCtl(t, 1, "rank 0 has been sent to PE "+pes[0]+" and has not arrived", "migrate", "0", pes[1])
	client.Process.Signal(syscall.SIGINT)
	client.Wait()
	l.expectCtl(t, 0, "running for", "status")
	l.expectCtl(t, 0, "; goes to PE "+pes[0], "ranks")
	l.stop(t)
}

// TestControlCheckpoint has a job saved by many at a time, and once more before it ends.
func TestControlCheckpoint(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "saves")
	l := startBusy(t, "talk", "+ckpt", dir, "+ckpt-on-term")
	l.expectCtl(t, 0, "checkpoint 1: the ranks stood still for", "checkpoint")
	l.expectCtl(t, 0, dir+", and before SIGTERM ends the job; 1 made, number 1 ", "status")
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() { l.expectCtl(t, 0, "safe after", "checkpoint") })
		wg.Go(func() { l.expectCtl(t, 0, "on PE 1", "migrate", fmt.Sprint(rand.IntN(liveRanks)), "1") })
	}
	wg.Wait()
	var s control.Status
	decode(t, l.ctl(t, "status", "--json"), &s)
	saved := (&life{t: t, dir: dir}).newest()
	if c := s.Checkpoints; c == nil || c.Dir != dir || !c.OnTerm || c.Saving || c.Made < 2 || c.Last == nil || c.Last.Number != saved || uint64(c.Made) != saved {
		t.Errorf("newest is %d; %+v", saved, s.Checkpoints)
	}
	r := l.ctl(t, "stop")
	r.expectCode(t, 0)
	r.expectSays(t, fmt.Sprintf("checkpoint %d: the ranks", saved+1), "has ended")
	l.end().expectCode(t, 143)
	if n := (&life{t: t, dir: dir}).newest(); n != saved+1 {
		t.Errorf("the newest checkpoint is %d, want %d", n, saved+1)
	}
}

// TestControlUnsavable checks that a job that cannot be saved says why to whoever has asked.
func TestControlUnsavable(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, ownDir+"/stays.c"), workers: 2, ranks: 4, flags: []string{"+ckpt", filepath.Join(t.TempDir(), "saves"), "+ckpt-on-term"}}.start(t, 4)
	l.expectCtl(t, 1, "no checkpoint: rank ", "checkpoint")
	l.expectCtl(t, 1, "cannot be saved: it has ", "checkpoint")
	l.stop(t)
}

// TestControlWholeLife asks all the time, from the begin of a job until after its end. The job is as if nobody had asked.
func TestControlWholeLife(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/hello.c")
	plain := job{program: path, workers: 2, ranks: 8}.run(t)
	each(t, []string{"1", "2", "3", "4", "5"}, func(n string) string { return n }, func(t *testing.T, _ string) {
		cmd, mark := job{program: path, workers: 2, ranks: 8, flags: []string{"+ckpt", filepath.Join(t.TempDir(), "saves")}}.command(t)
		l := &life{t: t}
		l.start(cmd, mark)
		var wg sync.WaitGroup
		for _, r := range []control.Request{{Verb: "status"}, {Verb: "ranks"}, {Verb: "migrate", Args: []int{3, 1}}, {Verb: "migrate", Args: []int{3, 0}},
			{Verb: "checkpoint"}, {Verb: "backtrace"}, {Verb: "name"}} {
			wg.Go(func() {
				for !l.isOver() {
					tell(t, cmd.Process.Pid, r)
				}
			})
		}
		r := l.end()
		wg.Wait()
		r.expectCode(t, 0)
		r.expectSameLines(t, plain)
	})
}

// tell asks a job something; nil: it has been done. Whatever it says must be for the user.
func tell(t *testing.T, pid int, r control.Request) error {
	c, err := control.Contact(pid)
	if err == nil {
		defer c.Close()
		err = c.Ask(r, func(control.Reply) {})
	}
	var refused *refusals.Refusal
	if err != nil && (!errors.As(err, &refused) || strings.Contains(err.Error(), "\n") || refused.Code != 1 && refused.Code != 2) {
		t.Errorf("%+v: %v", r, err)
	}
	return err
}

// TestControlTravel has several clients send ranks from worker to worker while the program checks itself.
func TestControlTravel(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/travel.c", "-O1")
	rows := [][]string{{}, {"+migrate", "copy"}, {"+steal"}}
	each(t, rows, func(flags []string) string { return strings.Join(flags, " ") }, func(t *testing.T, flags []string) {
		const rounds, workers, ranks = 300, 3, 7
		cmd, mark := job{program: path, args: []string{fmt.Sprint(rounds), t.TempDir()}, workers: workers, ranks: ranks, flags: append(flags, "+stats")}.command(t)
		l := &life{t: t}
		l.start(cmd, mark)
		var moves atomic.Int64
		var wg sync.WaitGroup
		for range 4 {
			wg.Go(func() {
				for !l.isOver() {
					err := tell(t, cmd.Process.Pid, control.Request{Verb: "migrate", Args: []int{rand.IntN(ranks), rand.IntN(workers)}})
					switch {
					case err == nil:
						moves.Add(1)
					case strings.Contains(err.Error(), "stays: ") && !strings.Contains(err.Error(), "it has ended") && !strings.Contains(err.Error(), "the job ends"):
						t.Error(err)
					}
				}
			})
		}
		r := l.end()
		wg.Wait()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS travel\n")
		expectOrder(t, r, r.stdout, ranks, rounds, 1)
		if moves.Load() < 50 || movesIn(r.stderr) < 50 {
			t.Errorf("%s: %d moves were asked for, %d were made", r.what, moves.Load(), movesIn(r.stderr))
		}
	})
}

// TestControlTravelSaved moves ranks and saves the job all the time, and lets it end after a restart.
func TestControlTravelSaved(t *testing.T) {
	t.Parallel()
	const rounds, ranks = 300, 7
	l := job{program: program(t, ownDir+"/travel.c", "-O1"), args: []string{fmt.Sprint(rounds), t.TempDir(), "plain"}, workers: 2, ranks: ranks}.begin(t)
	var saved atomic.Int64
	steer := func() *sync.WaitGroup {
		pid, over := l.cmd.Process.Pid, l.over
		wg := new(sync.WaitGroup)
		for i := range 3 {
			wg.Go(func() {
				for {
					select {
					case <-over:
						return
					default:
					}
					if i == 0 && tell(t, pid, control.Request{Verb: "checkpoint"}) == nil {
						saved.Add(1)
					} else if i > 0 {
						tell(t, pid, control.Request{Verb: "migrate", Args: []int{rand.IntN(ranks), rand.IntN(2)}})
					}
				}
			})
		}
		return wg
	}
	first := steer()
	l.await(func() bool { return saved.Load() > 3 })
	l.kill()
	first.Wait()
	l.goOn()
	second := steer()
	r := l.end()
	second.Wait()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS travel\n")
}
