package conformance

import (
	"maps"
	"path/filepath"
	"syscall"
	"testing"

	"ampirun/loadbalance"
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

// TestWindowPolled lets a rank poll memory that another one puts something into, in the same worker and in another one.
func TestWindowPolled(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2} {
		r := job{program: program(t, ownDir+"/window_polled.c"), workers: workers, ranks: 3}.run(t)
		r.expectCode(t, 0)
		r.expectSays(t, "PASS window_polled\n")
	}
}

// TestWindowDeadlock reads whom ranks wait for in calls on windows.
func TestWindowDeadlock(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, ownDir+"/window_deadlock.c"), workers: 2, ranks: 5}.run(t)
	r.expectFailure(t)
	r.expectSays(t, "deadlock: every rank waits for ever",
		"rank 1 waits in MPI_Win_lock for the lock of rank 1, which rank 0 has, on a window",
		"rank 2 waits in MPI_Put for MPI_Win_post of rank 0, on a window",
		"rank 3 waits in MPI_Win_wait for MPI_Win_complete of ranks that it has posted for, on a window",
		"rank 4 waits in MPI_Win_lock_all for ranks that have locked single ones, on a window")
}

// TestRecordedWindows: what a rank puts into another one's window is in the graph of who talks to whom.
func TestRecordedWindows(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "trace")
	job{program: program(t, ownDir+"/window_polled.c"), workers: 2, ranks: 2, flags: []string{"+lb-record", file}}.run(t).expectCode(t, 0)
	got := map[[2]int32]int64{}
	for _, s := range readTrace(t, file).steps {
		s.Graph.Edges(func(e loadbalance.Edge) {
			if e.Bytes > 0 {
				got[[2]int32{e.From, e.To}] += e.Bytes
			}
		})
	}
	if want := map[[2]int32]int64{{1, 0}: 8}; !maps.Equal(got, want) {
		t.Errorf("bytes by pair: %v, want %v", got, want)
	}
}
