package conformance

import (
	"math/rand/v2"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestRecoveryChildren kills workers whose ranks have child processes, some of them with children of their own: all end with the worker, and the job
// goes on as if they had never been.
func TestRecoveryChildren(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/helped.c"), args: []string{"20"}, workers: 2, ranks: 5}
	want := j.run(t)
	want.expectCode(t, 0)
	each(t, ways(t), func(way []string) string { return way[0] }, func(t *testing.T, way []string) {
		l := j.outlive(t, way[1:]...)
		l.await(func() bool { return l.hasChildren() && strings.Contains(l.out.String(), "round 1 ") })
		l.strike(syscall.SIGKILL)
		l.harass(3, 300)
		l.expectSame(want)
	})
}

// hasChildren tells whether a rank has a child process now.
func (l *life) hasChildren() bool { return len(processes(l.mark)) > 1+len(workers(l.mark)) }

// TestChildrenEnd ends jobs whose ranks have child processes, in the midst of a recovery or not: none is left. Who kills ampirun itself has to look
// after them.
func TestChildrenEnd(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/helped.c")
	each(t, []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGKILL}, func(sig syscall.Signal) string { return sig.String() }, func(t *testing.T, sig syscall.Signal) {
		for i := range 4 {
			cmd, mark := job{program: path, args: []string{"1000"}, workers: 2, ranks: 5, flags: []string{"+ft", "memory", "+ckpt-every", often}}.command(t)
			cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
			l := &life{t: t}
			l.start(cmd, mark)
			l.await(l.hasChildren)
			if i%2 > 0 {
				l.strike(syscall.SIGKILL)
				time.Sleep(time.Duration(rand.IntN(30)) * time.Millisecond)
			}
			if sig == syscall.SIGINT {
				syscall.Kill(-cmd.Process.Pid, sig) // as a terminal does
			} else {
				cmd.Process.Signal(sig)
			}
			<-l.over
			if sig != syscall.SIGKILL {
				checkGone(t, mark, cmd.Args)
				if code := cmd.ProcessState.ExitCode(); code != 128+int(sig) {
					t.Errorf("%s: code %d after %v\n%s", commandLine(cmd), code, sig, short(l.err.String()))
				}
				continue
			}
			await(t, "the workers to end", func() bool { return len(workers(mark)) == 0 })
			await(t, "the children to end", func() bool { return killChildren(mark) == 0 })
		}
	})
}
