package conformance

import (
	"syscall"
	"testing"
)

// TestWindowsTravel does random operations on windows in many ranks that are moved all the time, with their memory and without.
func TestWindowsTravel(t *testing.T) {
	t.Parallel()
	path := program(t, mpiDir+"/win_random.c")
	for name, flags := range map[string][]string{"plain": {"+stats"}, "copy": byCopy(t, "+stats")} {
		t.Run(name, func(t *testing.T) {
			r := job{program: path, args: []string{"60"}, workers: 3, ranks: amount(32, 64), flags: flags, env: shuffled("100us")}.run(t)
			r.expectCode(t, 0)
			r.expectSays(t, "PASS win_random\n")
			if movesIn(r.stderr) == 0 {
				t.Errorf("%s: nobody moved", r.what)
			}
		})
	}
}

// TestWindowsRestart kills a job in the midst of all kinds of epochs, and goes on from its checkpoints.
func TestWindowsRestart(t *testing.T) {
	t.Parallel()
	l := job{program: program(t, mpiDir+"/win_random.c"), args: []string{"6000"}, workers: 2, ranks: 6, env: shuffled("500us")}.begin(t, "+ckpt-every", often)
	r := l.survive(2)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS win_random\n")
	l.expectRestarts(r)
}

// TestWindowsRecovery kills workers whose ranks hold locks and are in all kinds of epochs.
func TestWindowsRecovery(t *testing.T) {
	t.Parallel()
	path := program(t, mpiDir+"/win_random.c")
	each(t, ways(t), func(way []string) string { return way[0] }, func(t *testing.T, way []string) {
		l := job{program: path, args: []string{"6000"}, workers: 3, ranks: 6, env: shuffled("500us")}.outlive(t, way[1:]...)
		l.await(func() bool { return l.strike(syscall.SIGKILL) })
		l.harass(amount(2, 5), 300)
		r := l.end()
		r.expectCode(t, 0)
		r.expectSays(t, "PASS win_random\n")
	})
}
