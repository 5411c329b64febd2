package conformance

import (
	"strings"
	"syscall"
	"testing"
)

// pending are programs that have, whenever they are caught, what was begun and has not ended, or what they have loaded at run time. Argument: rounds.
var pending = []struct{ file, rounds string }{{"started.c", "200"}, {"embedded.c", "60"}}

// TestRestartPending kills jobs in the midst of partitioned communication and persistent collectives, or with libraries that have been opened, while
// their ranks are moved.
func TestRestartPending(t *testing.T) {
	t.Parallel()
	for _, p := range pending {
		t.Run(p.file, func(t *testing.T) {
			t.Parallel()
			j := job{program: program(t, ownDir+"/"+p.file), args: []string{p.rounds}, workers: 2, ranks: 5, env: shuffled("1ms")}
			want := j.run(t)
			want.expectCode(t, 0)
			l := j.begin(t, "+ckpt-every", often)
			r := l.survive(4)
			r.expectCode(t, 0)
			l.expectRestarts(r)
			if !strings.HasSuffix(want.stdout, r.stdout) || r.stdout == "" {
				t.Errorf("%s: prints something else than the end of %s\n%s", r.what, short(want.stdout), r.output())
			}
		})
	}
}

// TestRecoveryPending kills workers instead.
func TestRecoveryPending(t *testing.T) {
	t.Parallel()
	for i, p := range pending {
		j := job{program: program(t, ownDir+"/"+p.file), args: []string{p.rounds}, workers: 3, ranks: 5, env: shuffled("1ms")}
		want := j.run(t)
		want.expectCode(t, 0)
		for _, way := range someOf(t, i) {
			t.Run(p.file+" "+way[0], func(t *testing.T) {
				t.Parallel()
				l := j.outlive(t, way[1:]...)
				l.await(func() bool { return strings.Contains(l.out.String(), "round 5 ") })
				l.strike(syscall.SIGKILL)
				l.harass(4, 300)
				l.expectSame(want)
			})
		}
	}
}
