package conformance

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// TestStall checks that a job of which nothing comes is said to be so, once, with where its ranks are, and goes on.
func TestStall(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/stalls.c")
	rows := map[string]string{"test": "test() stalls.c:", "probe": "probe() stalls.c:", "yield": "stall() stalls.c:", "pause": "pause()", "mutex": "pthread_mutex_lock()",
		"pipe": "read_own() stalls.c:", "spin": "spin() stalls.c:", "spin-call": "is_set() stalls.c:", "handler": "rank 0 waits in MPI_Recv for any rank, tag 5"}
	for how, where := range rows {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			l := job{program: path, args: []string{how, "nowhere"}, workers: 2, ranks: 4}.begin(t, "+stall", "0.5")
			l.await(func() bool {
				said := l.err.String()
				return strings.Contains(said, "rank 3 waits in MPI_Recv for any rank, tag 5") && strings.Contains(said, where)
			})
			l.cmd.Process.Signal(syscall.SIGTERM)
			r := l.end()
			r.expectCode(t, 128+int(syscall.SIGTERM))
			if n := strings.Count(r.stderr, "nothing has come of what the ranks do for 500ms (+stall)"); n != 1 {
				t.Errorf("%s: %d notes\n%s", r.what, n, r.output())
			}
		})
	}
}

// TestComputationIsNoStall has a rank compute for longer than the limit, and send nothing.
func TestComputationIsNoStall(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, ownDir+"/stalls.c", "-O1"), args: []string{"compute", "nowhere"}, workers: 2, ranks: 4, flags: []string{"+stall", "1"}}.run(t)
	r.expectCode(t, 7)
	if strings.Contains(r.stderr, "+stall") {
		t.Errorf("%s: it is said to have come to a halt\n%s", r.what, r.output())
	}
}

// TestHandlersAreNoDeadlock has all ranks wait for messages while something from outside of the job has a handler end it.
func TestHandlersAreNoDeadlock(t *testing.T) {
	t.Parallel()
	path := program(t, ownDir+"/stalls.c")
	each(t, []int{1, 2}, func(n int) string { return fmt.Sprint(n) }, func(t *testing.T, n int) {
		r := job{program: path, args: []string{"child", "nowhere"}, workers: n, ranks: 4}.run(t)
		r.expectCode(t, 7)
		l := job{program: path, args: []string{"handler", "nowhere"}, workers: n, ranks: 4}.begin(t, "+stall", "0.3")
		l.await(func() bool { return strings.Contains(l.err.String(), "(+stall)") }) // by then they all wait
		for _, w := range workers(l.mark) {                                          // one of which has rank 0
			syscall.Kill(w.pid, syscall.SIGUSR2)
		}
		l.end().expectCode(t, 7)
	})
}
