package vrank

/*
#include <stdlib.h>
#include "isomalloc/heap.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/xcomp.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/keys.h"
#include "vrank/migrate/move.h"
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
		if err := w.sendAway(m); err != nil {
			return err
		}
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
func (w *worker) sendAway(m *C.struct_vr_move) error {
	r := (*rank)(unsafe.Pointer(m.rank))
	why := C.GoString(C.vr_move_obstacle(m))
	if why == "" {
		why = w.sharedHold(r)
	}
	if why == "" {
		why = w.pack(r, m)
	}
	if why != "" {
		text := C.CString(why)
		C.vr_move_drop(m, text)
		C.free(unsafe.Pointer(text))
		return nil
	}
	C.vr_move_detach(m)
	if w.copier != nil {
		return w.copier.send(r, int(m.to))
	}
	C.vr_move_arrive(m.rank)
	return nil
}

// pack makes everything ready that goes with a rank. Where that fails it says why, and the rank stays as it was; for good if it would fail
// again.
func (w *worker) pack(r *rank, m *C.struct_vr_move) (why string) {
	if !w.packState(r) {
		why = "its slice is full"
		r.pin(why)
		return why
	}
	if err := w.leave(r); err != nil {
		r.pin(err.Error())
		return err.Error()
	}
	never := C.int(0)
	reason := C.vr_move_pack(m, &never)
	if reason == nil {
		return ""
	}
	if never != 0 {
		r.pin(C.GoString(reason))
	}
	if err := w.attachRank(r); err != nil {
		panic(fmt.Sprintf("BUG: the images of rank %d were here and cannot be again: %v", r.number(), err))
	}
	return C.GoString(reason)
}

// packState puts what Go keeps of a rank into its slice, where it stays until Go needs it. That fails when the slice is full.
func (w *worker) packState(r *rank) bool {
	if r.c.is_kept == 0 {
		return true
	}
	data := w.mpi.Pack(r.number())
	if r.c.packed_mpi = C.vr_rank_alloc(&r.c, C.size_t(len(data))); r.c.packed_mpi == nil {
		return false
	}
	r.c.packed_mpi_size = C.uint64_t(copy(unsafe.Slice((*byte)(r.c.packed_mpi), len(data)), data))
	w.mpi.EndRank(r.number())
	r.c.is_kept = 0
	return true
}

// unpackState gives Go back what it kept of a rank in another worker.
func (w *worker) unpackState(r *rank) {
	if r.c.packed_mpi == nil {
		return
	}
	if err := w.mpi.Unpack(r.number(), unsafe.Slice((*byte)(r.c.packed_mpi), r.c.packed_mpi_size)); err != nil {
		panic(fmt.Sprintf("BUG: rank %d: %v", r.number(), err))
	}
	C.vr_rank_free(&r.c, r.c.packed_mpi)
	r.c.packed_mpi = nil
}

// leave readies a rank for another worker. What this one has mapped for it stays, in case that it comes back, unless there would
// be too many mappings if all ranks came.
func (w *worker) leave(r *rank) error {
	base := r.imageArea()
	if err := w.images.CommitPrivate(base); err != nil || !w.crowded {
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
	if err := w.attachRank(r); err != nil {
		return fmt.Errorf("take in rank %d: %w", r.number(), err)
	}
	if why := C.vr_move_unpack(m); why != nil {
		return fmt.Errorf("take in rank %d: %s", r.number(), C.GoString(why))
	}
	C.vr_move_finish(m)
	return nil
}

// redZone is what code may use below its stack pointer.
const redZone = 128

// liveStack is the first page of its stack that a rank that does not run needs.
func (r *rank) liveStack() uintptr { return (uintptr(r.c.context.sp) - redZone) &^ (page - 1) }

// trimHeap gives the pages of freed memory back.
func (r *rank) trimHeap() { C.iso_heap_trim(r.c.heap) }

// arrive hands a rank whose memory is complete to the PE that it goes to. Any goroutine.
func (r *rank) arrive() { C.vr_move_arrive(&r.c) }

// attachRank readies this process for a rank: what of its slice is not memory of the region. Ranks that were here before have
// left that behind.
func (w *worker) attachRank(r *rank) error {
	if !w.attached[r.number()] {
		if err := w.protect(r.number()); err != nil {
			return err
		}
		if err := w.closeHoles(r); err != nil {
			return err
		}
	}
	w.attached[r.number()] = true
	if err := w.reach(r); err != nil {
		return err
	}
	if C.vr_xcomp_enter() != 0 {
		return errors.New("ranks have asked for registers (AMX) that this processor or its kernel does not grant: restart the job where they are granted")
	}
	C.vr_placing = &r.c
	placed, err := w.images.Attach(r.imageArea())
	C.vr_placing = nil
	if err == nil && w.sharesLibraries {
		w.point(r, &placed)
		w.introduce(r)
	}
	if err == nil {
		err = w.adoptLibraries(r)
	}
	if err == nil && !w.crowded {
		w.noteImages(r)
	}
	return err
}

// aside moves a descriptor of this worker's out of the way of ranks' numbers.
func aside(fd int) int { return int(C.vr_fd_aside(C.int(fd))) }

// shuffle moves random ranks to random workers, for tests, until the job ends: one order in each period in the mean, but no more than
// the workers can carry out: where they get little of a core they would do nothing else.
func (w *worker) shuffle(every time.Duration) {
	const most = 16 // orders at once for one worker
	start, done := time.Now(), 0
	ordered := make([]int, w.cfg.PEs) // since a worker was last seen without any
	for !isStopped() {
		time.Sleep(every)
		due := int(time.Since(start) / every)
		for range min(due-done, most) {
			r := (*C.struct_vr_rank)(unsafe.Pointer(rankAt(rand.IntN(w.cfg.Ranks))))
			pe := C.vr_owner(r)
			if C.vr_move_is_behind(pe) == 0 {
				ordered[pe] = 0
			}
			if ordered[pe] < most {
				ordered[pe]++
				outside(func() { C.vr_move_order(r, C.int32_t(rand.IntN(w.cfg.PEs))) })
			}
		}
		done = due
	}
}
