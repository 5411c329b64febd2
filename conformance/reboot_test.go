package conformance

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestRestartAfterReboot restarts a job where the kernel's clocks show much less, and much more, than when it was saved: what is due is so when
// the rest of the time has passed.
func TestRestartAfterReboot(t *testing.T) {
	t.Parallel()
	if out, err := exec.Command("unshare", "--time", "--monotonic", "100", "true").CombinedOutput(); err != nil {
		t.Skipf("the kernel lets us set no clock: %v %s", err, out)
	}
	path := program(t, filepath.Join(ownDir, "due.c"))
	each(t, [][2]int{{300000, 0}, {0, 300000}}, func(seconds [2]int) string { return fmt.Sprint(seconds) }, func(t *testing.T, seconds [2]int) {
		dir := filepath.Join(t.TempDir(), "saves")
		l := &life{t: t, dir: dir}
		cmd := withClock(seconds[0], "+p", "2", "+vp", "3", "+ckpt", dir, "+ckpt-every", often, path)
		l.start(cmd, job{}.prepare(t, cmd))
		l.await(func() bool { return l.out.String() == "set\n" })
		l.seen = l.newest()
		if !l.saved() {
			t.Fatalf("ended before it was saved: %s", short(l.err.String()))
		}
		l.kill()
		cmd = withClock(seconds[1], "+restart", dir)
		job{}.prepare(t, cmd)
		cmd.Env = append(cmd.Env, l.mark)
		l.start(cmd, l.mark)
		r := l.end()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS due\n")
	})
}

// withClock runs ampirun where monotonic clocks show so many seconds more.
func withClock(seconds int, args ...string) *exec.Cmd {
	all := []string{"--time", "--fork", "--kill-child", "--monotonic", fmt.Sprint(seconds), "--boottime", fmt.Sprint(seconds), tool("ampirun")}
	return exec.Command("unshare", append(all, args...)...)
}
