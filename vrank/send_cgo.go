package vrank

/*
#include "vrank/migrate/move.h"

static int is_over(const struct vr_receipt *receipt) { return atomic_load(&receipt->is_over); }
*/
import "C"

import (
	"time"
	"unsafe"
)

// Moved is what has become of a rank that was sent to a PE.
type Moved struct {
	Already bool   // it was there
	Stays   string // why it does not go; "" when it is there
}

// MoveRank has a rank go to a PE at its next call, and waits until it is there or does not go. Any goroutine.
func MoveRank(id, pe int) Moved {
	await(func() bool { return running != nil && running.placed.Load() })
	w := running
	if id < 0 || id >= w.cfg.Ranks || pe < 0 || pe >= w.cfg.PEs {
		return Moved{Stays: "there is no such rank or PE"}
	}
	r := rankAt(id)
	for first := true; ; first = false {
		at := r.owner()
		switch {
		case JobEnds():
			return Moved{Stays: "the job ends"}
		case r.isEnded():
			return Moved{Stays: "it has ended"}
		case at == pe:
			return Moved{Already: first}
		case at&C.VR_IN_TRANSIT != 0:
			time.Sleep(time.Millisecond)
			continue
		}
		if why, over := r.goTo(pe); over && r.owner() != pe { // where another worker may have taken it meanwhile
			return Moved{Stays: why}
		}
	}
}

// goTo orders a rank to go and waits for what comes of it. It is not over when the rank has moved meanwhile, or the job has ended.
func (r *rank) goTo(pe int) (why string, over bool) {
	var receipt *C.struct_vr_receipt
	outside(func() { receipt = C.vr_move_order_receipt(&r.c, C.int32_t(pe)) })
	if receipt == nil {
		return "the memory that the workers share is full", true
	}
	await(func() bool { return C.is_over(receipt) != 0 || JobEnds() })
	if C.is_over(receipt) == 0 {
		return "", false
	}
	why, over = C.GoString(&receipt.why[0]), receipt.is_late == 0
	outside(func() { C.vr_arena_free(unsafe.Pointer(receipt), C.sizeof_struct_vr_receipt) })
	return why, over
}
