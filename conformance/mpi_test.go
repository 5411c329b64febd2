package conformance

import (
	"fmt"
	"path/filepath"
	"testing"
)

// TestMPI asks every question of testdata/mpi with few and many ranks in one worker and in two. Where ranks are placed
// must not be seen in what they print.
func TestMPI(t *testing.T) {
	t.Parallel()
	each(t, mpiManifest(t), row.name, func(t *testing.T, r row) {
		for i, ranks := range r.numbersOfRanks() {
			if i == amount(2, 5) {
				break
			}
			one := runMPI(t, r.file, 1, ranks)
			two := runMPI(t, r.file, 2, ranks)
			two.expectSameLines(t, one)
		}
	})
}

// numbersOfRanks are those that a program takes, of those that are tried.
func (r row) numbersOfRanks() (fit []int) {
	for _, ranks := range []int{4, 33, 7, 2, 1} {
		if r.fits(ranks) {
			fit = append(fit, ranks)
		}
	}
	return fit
}

// runMPI runs a program of testdata/mpi and checks that it is content.
func runMPI(t *testing.T, file string, workers, ranks int) result {
	t.Helper()
	r := job{program: program(t, filepath.Join(mpiDir, file), "-O1"), workers: workers, ranks: ranks}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS "+row{file: file}.name()+"\n")
	if t.Failed() {
		t.FailNow() // more ranks would say the same
	}
	return r
}

// TestMPIManyRanks runs programs with more workers than cores and with many ranks.
func TestMPIManyRanks(t *testing.T) {
	t.Parallel()
	type placement struct {
		file           string
		workers, ranks int
	}
	var rows []placement
	for _, file := range []string{"barrier.c", "coll_inter.c", "coll_stress.c", "comm_split.c", "errhandler.c", "f_p2p.f90", "gatherv_scatterv.c", "icoll_same.c", "mprobe.c",
		"ordering.c", "pingpong_many.c", "reduce.c", "sendrecv.c", "wildcards.c"} {
		rows = append(rows, placement{file, 4, 13})
	}
	for _, file := range []string{"alltoallw.c", "cancel.c", "comm_names.c", "f77.f", "f_types.f90", "icoll_order.c", "minmaxloc.c", "mprobe.c", "persistent.c",
		"procnull_self.c", "scan.c", "truncate.c", "user_ops.c"} {
		rows = append(rows, placement{file, 2, 256})
	}
	rows = append(rows, placement{"comm_split.c", 2, 1024}, placement{"icoll_arrays.c", 2, 300})
	each(t, rows, func(p placement) string { return fmt.Sprintf("%s/%d/%d", p.file, p.workers, p.ranks) }, func(t *testing.T, p placement) {
		runMPI(t, p.file, p.workers, p.ranks)
	})
}

// TestThousandsOfRanks runs a barrier, a ring, an allreduce and an all-to-all among 4096 ranks.
func TestThousandsOfRanks(t *testing.T) {
	t.Parallel()
	r := job{program: program(t, ownDir+"/thousands.c"), workers: 2, ranks: 4096}.run(t)
	r.expectCode(t, 0)
	r.expectSays(t, "PASS thousands of 4096\n")
}
