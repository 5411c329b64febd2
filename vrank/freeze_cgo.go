package vrank

/*
#include "vrank/freeze/freeze.h"
#include "vrank/freeze/restart.h"
#include "vrank/migrate/move.h"

static void put_asleep(void) { vr_job->magic = VR_JOB_ASLEEP; }
static void awake(void) { vr_job->magic = VR_JOB_MAGIC; }
static void refuse(void) { atomic_store(&vr_job->freeze.refused, 1); }
static int is_refused(void) { return atomic_load(&vr_job->freeze.refused); }
static int halts(void) { return atomic_load(&vr_job->freeze.halts); }
*/
import "C"

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"ampirun/isomalloc"
)

// Freeze has all workers of the job stand still, copy the region to Config.SnapshotFD, and go on; each reports EventFrozen and then EventThawed.
// With halt they end instead, and the job can go on from the region: EventThawed comes only when that cannot be. It is for one
// worker of the job to call, at about the time when the others Prepare, when no freeze is under way, from any goroutine.
func Freeze(halt bool) {
	for running == nil || !running.placed.Load() {
		time.Sleep(time.Millisecond)
	}
	halts := C.int(0)
	if halt {
		halts = 1
	} else {
		Prepare()
	}
	C.vr_freeze_ask(halts)
}

// FreezeState tells what of a job is whole whose workers have ended, no matter where.
type FreezeState struct {
	Copied uint32 // so many copies have been completed since the job began or was restarted
	Whole  bool   // the region is as it was frozen, so it can be restarted
	Torn   bool   // the copy is not whole: then the region is
}

// ReadFreezeState looks into the region of a job that no worker has.
func ReadFreezeState(region *isomalloc.Region) (s FreezeState, err error) {
	j, err := readJob(region)
	f := &j.freeze
	return FreezeState{Copied: uint32(f.copied), Whole: f.halted != 0 || f.begun != f.copied, Torn: f.begun != f.copied}, err
}

// MostWorkers is how many workers at most can take the ranks of a job in that runs.
func MostWorkers(region *isomalloc.Region) (int, error) {
	j, err := readJob(region)
	return int(C.vr_job_most_pes(&j)), err
}

// readJob reads what is at the begin of the control area.
func readJob(region *isomalloc.Region) (j C.struct_vr_job, err error) {
	if _, err := unix.Pread(region.FD(), unsafe.Slice((*byte)(unsafe.Pointer(&j)), unsafe.Sizeof(j)), privateSize); err != nil {
		return j, fmt.Errorf("read what the workers of the job do: %w", err)
	}
	return j, nil
}

// outside runs what writes to the job's memory on a thread that is not a PE: not while that is copied.
func outside(write func()) {
	C.vr_outside_enter()
	defer C.vr_outside_leave()
	write()
}

// halts tells whether the workers end in the freeze that is under way.
func halts() bool { return C.halts() != 0 }

// errHalted ends a worker whose job goes on without it.
var errHalted = errors.New("the workers of the job are being replaced")

// freeze is this worker's share. PE thread, all ranks at rest.
func (w *worker) freeze() error {
	since := time.Now()
	C.vr_freeze_enter()
	f, all := &Frozen{}, &holders{}
	ranks := w.ranks()
	detached := make([]bool, len(ranks))
	for i, r := range ranks {
		detached[i] = w.readyToSave(r, f, all)
		if r.number() == 0 {
			f.Input = inputState()
		}
	}
	f.Loaded = openedBy(ranks)
	if len(f.Obstacles) > 0 {
		C.refuse()
	}
	if w.cfg.PE == 0 {
		C.put_asleep()
	}
	if len(f.Obstacles) == 0 {
		w.giveFiles(f)
	}
	f.Epoch = nextEpoch()
	w.send(Event{Kind: EventFrozen, Rank: -1, Frozen: f})
	t := &Thawed{}
	err := w.copyTogether(t, ranks)
	if err == errHalted {
		return err
	}
	if w.cfg.PE == 0 {
		C.awake()
	}
	for i, r := range ranks {
		r.dropContents(f.Ranks[i].Files)
		if !detached[i] {
			continue
		}
		if why := cError(C.vr_rank_attach(&r.c)); why != nil {
			err = fmt.Errorf("rank %d after a checkpoint: %w", r.number(), why)
		}
	}
	C.vr_freeze_leave()
	t.Pause = time.Since(since).Seconds()
	if err == nil {
		w.send(Event{Kind: EventThawed, Rank: -1, Thawed: t})
	}
	return err
}

// copyTogether copies the region, between two barriers of all workers: nothing in it changes meanwhile.
func (w *worker) copyTogether(t *Thawed, ranks []*rank) (err error) {
	if C.vr_freeze_barrier() != 0 {
		return nil // the job is being stopped: the loop finds out
	}
	C.vr_outside_await()
	since := time.Now()
	t.Refused = C.is_refused() != 0
	switch {
	case t.Refused:
	case halts():
		C.vr_freeze_halt()
		return errHalted
	default:
		C.vr_freeze_copies()
		t.Bytes, err = w.copyRegion(ranks)
		t.Same = w.snapshot.same
	}
	t.Copying = time.Since(since).Seconds()
	if C.vr_freeze_barrier() == 0 && !t.Refused {
		C.vr_freeze_copied()
	}
	return err
}

// readyToSave puts all that a rank has in this process into its slice, or notes what cannot go there. It tells whether the rank was detached.
func (w *worker) readyToSave(r *rank, f *Frozen, all *holders) bool {
	if r.isEnded() {
		f.Ranks = append(f.Ranks, FrozenRank{Rank: r.number(), Ended: true, Code: r.exited(), Written: r.written()})
		return false
	}
	files, why := r.files(all)
	if hold := C.vr_move_hold(&r.c); hold != nil {
		why = C.GoString(hold)
	}
	if why == "" {
		why = w.sharedHold(r)
	}
	if why == "" {
		if err := w.images.CommitPrivate(r.imageArea()); err != nil {
			why = err.Error()
		}
	}
	if why == "" && !w.packState(r) {
		why = "its slice is full"
	}
	if why == "" {
		if err := cError(C.vr_rank_detach(&r.c)); err != nil {
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

// deadStack is the part of a rank's stack that it does not use now: nothing below its stack pointer and the red zone counts.
func (r *rank) deadStack() (lo, hi uintptr) {
	const redZone = 128
	l := &C.vr_job.layout
	lo = r.slice() + uintptr(l.stack)
	sp := uintptr(unsafe.Pointer(r.c.context.sp))
	if r.isEnded() || sp < lo || sp > lo+uintptr(l.stack_size) {
		return lo, lo
	}
	return lo, (sp - redZone) &^ (page - 1)
}
