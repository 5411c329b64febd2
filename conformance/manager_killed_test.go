package conformance

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	"ampirun/job/control"
)

// TestManagerKilledReplacing kills ampirun while it replaces workers, because one has failed or because others were asked for, and goes on from the
// disk each time. Ranks are moved all the time besides.
func TestManagerKilledReplacing(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/travel.c", "-O1")
	each(t, [][]string{{"scale"}, {"recovery", "+ft", "memory"}, {"recovery from disk", "+ft", "disk"}, {"shrinking", "+ft", "memory", "+ft-shrink"}},
		func(row []string) string { return row[0] }, func(t *testing.T, row []string) {
			l := job{program: path, args: []string{"600", t.TempDir(), "plain"}, workers: 2, ranks: 7, env: shuffled("500us")}.begin(t,
				append([]string{"+ckpt-every", often}, row[1:]...)...)
			for range 5 {
				if !l.saved() || l.isOver() {
					break
				}
				asked := make(chan error, 1)
				if row[0] == "scale" {
					pid := l.cmd.Process.Pid
					go func() { asked <- tell(t, pid, control.Request{Verb: "scale", Args: []int{3}}) }()
				} else {
					l.strike(syscall.SIGKILL)
					asked <- nil
				}
				time.Sleep(time.Duration(rand.IntN(60)) * time.Millisecond)
				l.kill()
				<-asked
				l.expectNoFiles()
				l.goOn("+p", fmt.Sprint(1+rand.IntN(4)))
			}
			r := l.end()
			r.expectCode(t, 0)
			r.expectSays(t, "PASS travel\n")
			l.expectRestarts(r)
			l.expectNoFiles()
		})
}

// expectNoFiles checks that nothing is left in the directory that a job has had for itself.
func (l *life) expectNoFiles() {
	l.t.Helper()
	dir := ""
	for _, variable := range l.cmd.Env { // the last one counts
		if value, found := strings.CutPrefix(variable, "TMPDIR="); found {
			dir = value
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		l.t.Errorf("%s: left %v, %v", commandLine(l.cmd), left, err)
	}
}

// TestKilledAtTheBegin kills a worker that has just been started: it may not have said anything yet, or not know what it is to run.
func TestKilledAtTheBegin(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"20"}, workers: 3, ranks: 5}
	want := j.run(t)
	for _, ft := range [][]string{nil, {"+ft", "memory"}, {"+ft", "memory", "+ft-shrink"}} {
		t.Run(strings.Join(ft, " "), func(t *testing.T) {
			t.Parallel()
			j := j
			j.flags = ft
			for i := range 5 {
				cmd, mark := j.command(t)
				l := &life{t: t}
				l.start(cmd, mark)
				l.await(func() bool { return len(workers(mark)) > 0 })
				time.Sleep(time.Duration(rand.IntN(1+10*i)) * time.Millisecond)
				l.strike(syscall.SIGKILL)
				r := l.end()
				if ft == nil {
					r.expectCode(t, 128+int(syscall.SIGKILL))
				} else {
					r.expectCode(t, 0)
					if r.stdout != want.stdout {
						t.Errorf("%s: prints something else than without failures\n%s", r.what, r.output())
					}
				}
				r.expectSays(t, " was killed by signal 9 (SIGKILL)")
				if strings.Count(r.stderr, "\n") != 1 {
					t.Errorf("%s: says more than one line\n%s", r.what, r.output())
				}
				l.expectNoFiles()
			}
		})
	}
}
