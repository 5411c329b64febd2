package conformance

import (
	"strings"
	"syscall"
	"testing"
)

// TestCheckpointInMemory kills a worker after the call in which the program asked for a copy in memory, the only one that there is.
func TestCheckpointInMemory(t *testing.T) {
	t.Parallel()
	j := job{program: program(t, ownDir+"/steady.c"), args: []string{"60", "memory"}, workers: 2, ranks: 4, flags: []string{"+ft", "memory", "+ckpt-every", "1h"}}
	want := j.run(t)
	want.expectCode(t, 0)
	l := &life{t: t}
	cmd, mark := j.command(t)
	l.start(cmd, mark)
	l.await(func() bool { return strings.Contains(l.out.String(), "round 32\n") })
	syscall.Kill(workers(mark)[1].pid, syscall.SIGKILL)
	r := l.end()
	r.expectCode(t, 0)
	if r.stdout != want.stdout || r.stderr == "" {
		t.Errorf("%s: not as without the loss of a worker\n%s\nwant: %s", r.what, r.output(), short(want.stdout))
	}
}
