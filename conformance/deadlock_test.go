package conformance

import (
	"fmt"
	"testing"
)

// TestDeadlock checks that a job whose ranks all wait for ever is ended, and that the report tells which rank waits in
// which call for whom.
func TestDeadlock(t *testing.T) {
	t.Parallel()
	type deadlock struct {
		kind string
		says []string
	}
	rows := []deadlock{
		{"recv", []string{"rank 0 waits in MPI_Recv for rank 3, tag 5", "rank 3 waits in MPI_Recv for rank 0, tag 5"}},
		{"ssend", []string{"rank 1 waits in MPI_Ssend for rank 2, tag 6", "rank 2 waits in MPI_Ssend for rank 1, tag 6"}},
		{"probe", []string{"rank 1 waits in MPI_Probe for rank 2, any tag"}},
		{"waitall", []string{"rank 2 waits in MPI_Waitall for rank 2, tag 9"}},
		{"collective", []string{"rank 0 waits in MPI_Recv for any rank, tag 7", "rank 3 waits in MPI_Allreduce (3 of 4 ranks have arrived) of MPI_COMM_WORLD"}},
		{"background", []string{"rank 0 waits in MPI_Recv for any rank, tag 7", "rank 3 waits in MPI_Wait for MPI_Iallreduce of MPI_COMM_WORLD"}},
		{"subset", []string{"rank 1 waits in MPI_Barrier (1 of 2 ranks have arrived)", "rank 3 waits in MPI_Recv for rank 0",
			"rank 0 waits in MPI_Finalize (2 of 4 ranks have arrived)"}},
		{"ended", []string{"rank 0 waits in MPI_Finalize (1 of 4 ranks have arrived)", "rank 3 waits in MPI_Recv for rank 0, tag 4"}},
		{"unfinalized", []string{"rank 1 waits in MPI_Barrier (3 of 4 ranks have arrived)"}},
	}
	each(t, rows, func(d deadlock) string { return d.kind }, func(t *testing.T, d deadlock) {
		for _, workers := range []int{1, 2} {
			r := runDeadlock(t, d.kind, workers)
			r.expectFailure(t)
			r.expectSays(t, "deadlock: every rank waits for ever")
			r.expectSays(t, d.says...)
		}
	})
}

func runDeadlock(t *testing.T, kind string, workers int) result {
	t.Helper()
	return job{program: program(t, ownDir+"/deadlocks.c"), args: []string{kind}, workers: workers, ranks: 4}.run(t)
}

// TestDifferentCollectives checks that ranks that meet in different collective calls are told so, instead of waiting.
func TestDifferentCollectives(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2} {
		r := runDeadlock(t, "root", workers)
		r.expectFailure(t)
		r.expectSays(t, "the members' calls differ", "rank 0 is in MPI_Finalize", "in MPI_Bcast")
	}
}

// TestNoFalseDeadlock checks that waiting for something that comes late is not taken for a deadlock.
func TestNoFalseDeadlock(t *testing.T) {
	t.Parallel()
	for _, workers := range []int{1, 2} {
		t.Run(fmt.Sprint(workers), func(t *testing.T) {
			t.Parallel()
			r := job{program: program(t, ownDir+"/late.c"), workers: workers, ranks: 4}.run(t)
			r.expectCode(t, 0)
			r.expectSays(t, "PASS late\n")
		})
	}
}
