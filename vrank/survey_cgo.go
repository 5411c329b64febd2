package vrank

/*
#include "vrank/core/job.h"

static int is_held(const struct vr_rank *r) { return atomic_load(&r->is_pinned); }
static uint64_t stolen_by(int pe) { return vr_job->pe[pe].steal.stolen; }
static int threads(const struct vr_rank *r) { return atomic_load(&r->threads); }
*/
import "C"

// stateOf says in words what a rank does, of this worker or another one: what it says may be over by then.
func (w *worker) stateOf(r *rank, arrived map[uint32]int) string {
	switch r.lifeState() {
	case C.VR_ENDED, C.VR_FAULTED:
		return "ended"
	case C.VR_BLOCKED:
		return "waits in " + w.mpi.Name(int(r.waiting().fn)) + describeWaitFor(r, arrived, w.mpi.Name)
	case C.VR_SLEEPING:
		return "sleeps"
	case C.VR_SERVED:
		return "waits for the runtime"
	case C.VR_RUNNING:
		return "running"
	}
	return "ready"
}

// staysFor is why a rank that has been seen to be held cannot move, as far as any worker can tell.
func (r *rank) staysFor() string {
	switch {
	case C.is_held(&r.c) != 0 && r.pinned() != "":
		return r.pinned()
	case C.threads(&r.c) > 0:
		return "it has started threads"
	}
	return "the program wants it to stay, or to know when it goes"
}

// stolenByPE is how many ranks each PE has taken from others.
func stolenByPE() (all []uint64) {
	for i := range int(C.vr_job.pes) {
		all = append(all, uint64(C.stolen_by(C.int(i))))
	}
	return all
}
