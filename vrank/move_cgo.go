package vrank

/*
#include "move.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"time"
	"unsafe"
)

// move sends the ranks away that were ordered to go, and takes in those that have arrived. PE stack, all ranks at rest.
func (w *worker) move() error {
	since, steps := C.vr_ticks(), C.uint64_t(0)
	defer func() {
		C.vr_pe.move_ticks += C.vr_ticks() - since
		C.vr_pe.move_steps += steps
	}()
	for m := C.vr_move_next_order(); m != nil; m = C.vr_move_next_order() {
		w.sendAway(m)
		steps++
	}
	for m := C.vr_move_next_arrival(); m != nil; m = C.vr_move_next_arrival() {
		if err := w.takeIn(m); err != nil {
			return err
		}
		steps++
	}
	return nil
}

// sendAway hands a rank over, with what Go keeps of it, unless something holds it here.
func (w *worker) sendAway(m *C.struct_vr_move) {
	r := (*rank)(unsafe.Pointer(m.rank))
	if C.vr_move_obstacle(m) != nil || !w.pack(r, m) {
		C.vr_rank_free(&r.c, m.luggage)
		C.vr_move_drop(m)
		return
	}
	w.mpi.EndRank(r.number())
	C.vr_move_send(m)
}

// pack makes everything ready that goes with a rank. Where that fails the rank stays as it was; for good if it would fail again.
func (w *worker) pack(r *rank, m *C.struct_vr_move) bool {
	luggage, size, ok := w.luggage(r)
	if m.luggage, m.luggage_size = luggage, C.uint64_t(size); !ok {
		r.pin("its slice is full")
		return false
	}
	if err := w.leave(r); err != nil {
		r.pin(err.Error())
		return false
	}
	never := C.int(0)
	why := C.vr_move_pack(m, &never)
	if why == nil {
		return true
	}
	if never != 0 {
		r.pin(C.GoString(why))
	}
	if err := w.furnish(r); err != nil {
		panic(fmt.Sprintf("BUG: the images of rank %d were here and cannot be again: %v", r.number(), err))
	}
	return false
}

// luggage puts what Go keeps of a rank into its slice: nil for nothing, or not ok when that is full.
func (w *worker) luggage(r *rank) (at unsafe.Pointer, size int, ok bool) {
	packed := w.mpi.Pack(r.number())
	if len(packed) == 0 {
		return nil, 0, true
	}
	if at = C.vr_rank_alloc(&r.c, C.size_t(len(packed))); at == nil {
		return nil, 0, false
	}
	return at, copy(unsafe.Slice((*byte)(at), len(packed)), packed), true
}

// unpack gives Go what luggage has put into the slice, and frees that.
func (w *worker) unpack(r *rank, luggage unsafe.Pointer, size uint64) error {
	if luggage == nil {
		return nil
	}
	err := w.mpi.Unpack(r.number(), unsafe.Slice((*byte)(luggage), size))
	C.vr_rank_free(&r.c, luggage)
	return err
}

// leave readies a rank for another worker. What this one has mapped for it stays, in case that it comes back, unless there would
// be too many mappings if all ranks came.
func (w *worker) leave(r *rank) error {
	base := r.imageArea()
	if err := w.images.Settle(base); err != nil || !w.crowded {
		return err
	}
	if loaded, _ := w.plugins(r); len(loaded) > 0 {
		return errors.New("it has opened libraries at run time, and the job has too many mappings to move such ranks")
	}
	return w.images.Detach(base)
}

// takeIn makes a rank that has arrived one of this worker: what its slice has in other workers, this one maps, and addresses
// that belong to them become those of this one.
func (w *worker) takeIn(m *C.struct_vr_move) error {
	r := (*rank)(unsafe.Pointer(m.rank))
	if err := w.furnish(r); err != nil {
		return fmt.Errorf("take in rank %d: %w", r.number(), err)
	}
	if why := C.vr_move_unpack(m); why != nil {
		return fmt.Errorf("take in rank %d: %s", r.number(), C.GoString(why))
	}
	if err := w.unpack(r, m.luggage, uint64(m.luggage_size)); err != nil {
		return fmt.Errorf("take in rank %d: %w", r.number(), err)
	}
	C.vr_move_finish(m)
	return nil
}

// furnish readies this process for a rank: what of its slice is not memory of the region. Ranks that were here before have
// left that behind.
func (w *worker) furnish(r *rank) error {
	if !w.furnished[r.number()] {
		if err := w.protect(r.number()); err != nil {
			return err
		}
	}
	w.furnished[r.number()] = true
	placed, err := w.images.Attach(r.imageArea())
	if err == nil && w.sharesLibraries {
		w.point(r, &placed)
	}
	if err == nil {
		err = w.adoptLibraries(r)
	}
	return err
}

// shuffle moves random ranks to random workers, for tests, until the job ends: one order in each period in the mean.
func (w *worker) shuffle(every time.Duration) {
	const most = 64 // orders at once, after a long sleep
	start, done := time.Now(), 0
	for !isStopped() {
		time.Sleep(every)
		due := int(time.Since(start) / every)
		for range min(due-done, most) {
			if OrderMove(rand.IntN(w.cfg.Ranks), rand.IntN(w.cfg.PEs)) != nil {
				break
			}
		}
		done = due
	}
}
