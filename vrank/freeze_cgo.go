package vrank

/*
#include "core.h"
#include "freeze.h"
#include "move.h"
#include "numbers.h"
#include "revive.h"

static void put_asleep(void) { vr_job->magic = VR_JOB_ASLEEP; }
static void awake(void) { vr_job->magic = VR_JOB_MAGIC; }
static void refuse(void) { atomic_store(&vr_job->freeze.refused, 1); }
static int is_refused(void) { return atomic_load(&vr_job->freeze.refused); }
*/
import "C"

import (
	"fmt"
	"time"
	"unsafe"
)

// Frozen is what one worker tells of a freeze.
type Frozen struct {
	Obstacles []Obstacle   `json:",omitempty"` // why nothing was saved, of this worker's ranks
	Refused   bool         // some rank of the job cannot be saved: nothing was copied
	Ranks     []FrozenRank // of this worker
	Bytes     uint64       // copied by this worker
	Pause     float64      // seconds that no rank of this worker ran
	Copying   float64      // seconds of those that went into the copy
}

// Obstacle is why a rank cannot be saved, in the words that follow "rank 3 cannot be saved: ".
type Obstacle struct {
	Rank int
	Why  string
}

// FrozenRank is what a rank has outside of its slice.
type FrozenRank struct {
	Rank    int
	Ended   bool `json:",omitempty"`
	Code    int  `json:",omitempty"` // of the end
	Files   []File
	Written [2]uint64 // bytes to standard output and error so far
}

// Freeze has all workers of the job stand still, copy the region to Config.ShadowFD, and go on; each reports EventFrozen. It is for one
// worker of the job to call, when no freeze is under way, from any goroutine.
func Freeze() {
	for running == nil || !running.placed.Load() {
		time.Sleep(time.Millisecond)
	}
	C.vr_freeze_ask()
}

// outside runs what writes to the job's memory on a thread that is not a PE: not while that is copied.
func outside(write func()) {
	C.vr_outside_enter()
	defer C.vr_outside_leave()
	write()
}

// freeze is this worker's share. PE thread, all ranks at rest.
func (w *worker) freeze() error {
	since := time.Now()
	C.vr_freeze_enter()
	f := &Frozen{}
	ranks := w.ranks()
	stowed := make([]bool, len(ranks))
	for i, r := range ranks {
		stowed[i] = w.readyToSave(r, f)
	}
	if len(f.Obstacles) > 0 {
		C.refuse()
	}
	if w.cfg.PE == 0 {
		C.put_asleep()
	}
	err := w.copyTogether(f, ranks)
	if w.cfg.PE == 0 {
		C.awake()
	}
	for i, r := range ranks {
		r.dropContents(f.Ranks[i].Files)
		if !stowed[i] {
			continue
		}
		if why := cError(C.vr_rank_unstow(&r.c)); why != nil {
			err = fmt.Errorf("rank %d after a checkpoint: %w", r.number(), why)
		}
	}
	C.vr_freeze_leave()
	f.Pause = time.Since(since).Seconds()
	if err == nil {
		w.send(Event{Kind: EventFrozen, Rank: -1, Frozen: f})
	}
	return err
}

// copyTogether copies the region, between two meetings of all workers: nothing in it changes meanwhile.
func (w *worker) copyTogether(f *Frozen, ranks []*rank) (err error) {
	if C.vr_freeze_meet() != 0 {
		return nil // the job is being stopped: the loop finds out
	}
	C.vr_outside_await()
	since := time.Now()
	if f.Refused = C.is_refused() != 0; !f.Refused {
		f.Bytes, err = w.copyRegion(ranks)
	}
	f.Copying = time.Since(since).Seconds()
	C.vr_freeze_meet()
	return err
}

// readyToSave puts all that a rank has in this process into its slice, or notes what cannot go there. It tells whether the rank was stowed.
func (w *worker) readyToSave(r *rank, f *Frozen) bool {
	if r.isEnded() {
		f.Ranks = append(f.Ranks, FrozenRank{Rank: r.number(), Ended: true, Code: r.exited(), Written: r.written()})
		return false
	}
	files, why := r.files()
	if hold := C.vr_move_hold(&r.c); hold != nil {
		why = C.GoString(hold)
	}
	if why == "" {
		if err := w.images.Settle(r.imageArea()); err != nil {
			why = err.Error()
		}
	}
	if why == "" && !w.packLuggage(r) {
		why = "its slice is full"
	}
	if why == "" {
		if err := cError(C.vr_rank_stow(&r.c)); err != nil {
			why = err.Error()
		}
	}
	if why != "" {
		f.Obstacles = append(f.Obstacles, Obstacle{r.number(), why})
	}
	f.Ranks = append(f.Ranks, FrozenRank{Rank: r.number(), Files: files, Written: r.written()})
	return why == ""
}

func (r *rank) written() [2]uint64 {
	w := r.c.counters.written
	return [2]uint64{uint64(w[0]), uint64(w[1])}
}

// descriptors are the numbers of those that the rank has.
func (r *rank) descriptors() []int {
	fds := make([]C.int, 64)
	n := int(C.vr_fds_of(&r.c, &fds[0], C.int(len(fds))))
	if n > len(fds) {
		fds = make([]C.int, n)
		n = min(n, int(C.vr_fds_of(&r.c, &fds[0], C.int(n))))
	}
	list := make([]int, n)
	for i := range list {
		list[i] = int(fds[i])
	}
	return list
}

// deadStack is the part of a rank's stack that it does not use now: nothing below its stack pointer and the red zone counts.
func (r *rank) deadStack() (lo, hi uintptr) {
	const redZone = 128
	l := &C.vr_job.layout
	lo = r.slice() + uintptr(l.stack)
	sp := uintptr(unsafe.Pointer(r.c.sp))
	if r.isEnded() || sp < lo || sp > lo+uintptr(l.stack_size) {
		return lo, lo
	}
	return lo, (sp - redZone) &^ (page - 1)
}
