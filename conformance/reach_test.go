package conformance

import (
	"path/filepath"
	"testing"
)

// TestReach has a rank close all descriptors that there may be, as programs do when they start: it reaches its own, and lists show it these.
func TestReach(t *testing.T) {
	t.Parallel()
	path := program(t, filepath.Join(ownDir, "reach.c"))
	each(t, []string{"loop", "syscalls", "range", "range by syscall", "from"}, func(way string) string { return way }, func(t *testing.T, way string) {
		for _, workers := range []int{1, 2} {
			for _, flags := range [][]string{nil, {"+ft", "memory", "+ckpt-every", often}} {
				expectReach(t, job{program: path, args: []string{way, t.TempDir()}, workers: workers, ranks: 4, flags: flags}.run(t))
			}
		}
	})
}

func expectReach(t *testing.T, r result) {
	t.Helper()
	r.expectCode(t, 0)
	r.expectSays(t, "PASS reach\n", "PASS reach closer\n")
}

// TestReachMethods does so under the other methods of privatization.
func TestReachMethods(t *testing.T) {
	t.Parallel()
	path := program(t, filepath.Join(ownDir, "reach.c"))
	each(t, []string{"fs", "pip", "tls", "none"}, func(method string) string { return method }, func(t *testing.T, method string) {
		for _, way := range []string{"loop", "range"} {
			args := []string{way, t.TempDir()}
			if method == "tls" || method == "none" {
				args = append(args, "shared")
			}
			expectReach(t, job{program: path, args: args, workers: 2, ranks: 4, flags: []string{"+privatize", method, "+fs-dir", t.TempDir()}}.run(t))
		}
	})
}

// TestReachLimits does so where few descriptors can be had.
func TestReachLimits(t *testing.T) {
	t.Parallel()
	path := program(t, filepath.Join(ownDir, "reach.c"))
	each(t, []string{"-n 64", "-n 256", "-n 1024", "-n 4096"}, func(limit string) string { return limit }, func(t *testing.T, limit string) {
		expectReach(t, job{program: path, args: []string{"loop", t.TempDir()}, workers: 1, ranks: 4}.runUnder(t, limit))
	})
}

// TestLostOutput closes the way of the output behind the runtime's back: what ranks print is lost then, and that is no success.
func TestLostOutput(t *testing.T) {
	t.Parallel()
	path := program(t, filepath.Join(ownDir, "lost_output.c"))
	for _, workers := range []int{1, 2} {
		r := job{program: path, workers: workers, ranks: 4}.run(t)
		r.expectFailure(t)
		r.expectSays(t, "its output cannot be passed on: Bad file descriptor")
	}
}
