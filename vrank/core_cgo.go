package vrank

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers -D_GNU_SOURCE -fno-stack-protector -fno-pic -I${SRCDIR}/..
#cgo LDFLAGS: -lpthread -lrt -lutil -ldl
#include <stdlib.h>
#include "isomalloc/heap.h"
#include "vrank/core/pe_thread.h"
#include "vrank/core/pin.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"
#include "vrank/core/switch.h"

static int64_t rank_state(const struct vr_rank *r) { return atomic_load(&r->context.state); }
static int64_t rank_pe(const struct vr_rank *r) { return atomic_load(&r->pe); }
static void pin(struct vr_rank *r, const char *why) { vr_rank_pin(r, "%s", why); }
static int is_stopped(void) { return atomic_load(&vr_job->stop); }
*/
import "C"

import (
	"errors"
	"unsafe"

	// The C core.
	_ "ampirun/internal/rlimits"
	_ "ampirun/privatize/libpthread"
	_ "ampirun/vrank/core"
	_ "ampirun/vrank/fault"
	_ "ampirun/vrank/freeze"
	_ "ampirun/vrank/libc"
	_ "ampirun/vrank/migrate"
	_ "ampirun/vrank/p2p"
)

// rank is a rank control block in the region. Its address means the same in every worker.
type rank struct{ c C.struct_vr_rank }

// rankContext is what runs and sleeps: the first thread of a rank, or one of its fibers (fiber.h).
type rankContext struct{ c C.struct_vr_context }

// reason says why the core came back from running ranks.
type reason = C.enum_vr_reason

const (
	reasonBudget        reason = C.VR_BUDGET
	reasonServe         reason = C.VR_SERVE
	reasonFault         reason = C.VR_FAULT
	reasonEnded         reason = C.VR_ALL_ENDED
	reasonStopped       reason = C.VR_STOPPED
	reasonDeadlock      reason = C.VR_DEADLOCK
	reasonLeft          reason = C.VR_LEFT
	reasonAborted       reason = C.VR_ABORTED
	reasonMoves         reason = C.VR_MOVES
	reasonFreezes       reason = C.VR_FREEZES
	reasonSaves         reason = C.VR_SAVES
	reasonSavesInMemory reason = C.VR_SAVES_IN_MEMORY
)

const (
	tlsModules   = C.VR_TLS_MODULES
	rankIsNobody = C.VR_NOBODY
	fnSymbol     = C.VR_FN_SYMBOL
	fnOpen       = C.VR_FN_OPEN
	fnName       = C.VR_FN_NAME
	fnClose      = C.VR_FN_CLOSE
	fnIdentity   = C.VR_FN_IDENTITY
	fnLocalName  = C.VR_FN_LOCAL_NAME
)

func cError(why *C.char) error {
	if why == nil {
		return nil
	}
	return errors.New(C.GoString(why))
}

// ControlSize returns the bytes of control area that a job needs in front of slice 0.
func ControlSize(pes int) uint64 {
	return privateSize + uint64(C.vr_control_size(C.int(pes)))
}

// heap is where a rank allocates.
type heap = *C.struct_iso_heap

// headSize is the room that snapshot and control block take at the start of a slice.
func headSize(tlsSize uint64) uint64 { return uint64(C.vr_head_size(C.uint64_t(tlsSize))) }

func rankAt(id int) *rank { return (*rank)(unsafe.Pointer(C.vr_rank_of(C.int32_t(id)))) }

// imageArea is where the images of a rank lie that has its own.
func (r *rank) imageArea() uintptr { return uintptr(C.vr_images_of(r.c.id)) }

// ranks are those that this worker has.
func (w *worker) ranks() (all []*rank) {
	for r := C.vr_pe.all; r != nil; r = r.all_next {
		all = append(all, (*rank)(unsafe.Pointer(r)))
	}
	return all
}

func (x *rankContext) rank() *rank  { return (*rank)(unsafe.Pointer(x.c.rank)) }
func (x *rankContext) exited() int  { return int(x.c.exit_code) }
func (x *rankContext) text() string { return C.GoString(&x.c.call.text[0]) }

// keeps notes whether Go keeps anything of the rank.
func (r *rank) keeps(anything bool) {
	r.c.is_kept = 0
	if anything {
		r.c.is_kept = 1
	}
}

func (r *rank) number() int       { return int(r.c.id) }
func (r *rank) lifeState() int    { return int(C.rank_state(&r.c)) }
func (r *rank) owner() int        { return int(C.rank_pe(&r.c)) }
func (r *rank) exited() int       { return int(r.c.context.exit_code) }
func (r *rank) isBlocked() bool   { return r.lifeState() == C.VR_BLOCKED }
func (r *rank) isEnded() bool     { return r.lifeState() == C.VR_ENDED }
func (r *rank) leftMPIOpen() bool { return r.c.mpi_state == C.VR_MPI_RUNNING }
func (r *rank) slice() uintptr    { return uintptr(r.c.slice) }

// memory is that of the rank's slice, for the runtime; nil when it is full.
func (r *rank) memory(n uint64) unsafe.Pointer { return C.vr_rank_alloc(&r.c, C.size_t(n)) }
func (r *rank) free(p unsafe.Pointer)          { C.vr_rank_free(&r.c, p) }

// pinned is why the rank cannot move, or "". The text is whole once the rank does not run.
func (r *rank) pinned() string { return C.GoString(&r.c.pinned[0]) }

// pin keeps the rank in this worker.
func (r *rank) pin(why string) {
	text := C.CString(why)
	C.pin(&r.c, text)
	C.free(unsafe.Pointer(text))
}

func (r *rank) waiting() C.struct_vr_wait { return r.c.context.wait }

// runRanks runs ready ranks until Go is needed, and returns the context that it is needed for. PE thread.
func runRanks(resume *rankContext) (reason, *rankContext) {
	why := C.vr_pe_run((*C.struct_vr_context)(unsafe.Pointer(resume)))
	return why, (*rankContext)(unsafe.Pointer(C.vr_left_by))
}

// Stop makes all workers of the job leave their PE loops. Any goroutine.
func Stop() { C.vr_stop() }

func isStopped() bool { return C.is_stopped() != 0 }

// rankMemory gives the MPI layer a rank's slice.
type rankMemory struct{ r *rank }

func (m rankMemory) Alloc(n uintptr) unsafe.Pointer {
	return C.vr_rank_calloc(&m.r.c, 1, C.size_t(n))
}
func (m rankMemory) Free(p unsafe.Pointer)     { C.vr_rank_free(&m.r.c, p) }
func (m rankMemory) RankState() unsafe.Pointer { return m.r.c.mpi }
func (m rankMemory) Rank() unsafe.Pointer      { return unsafe.Pointer(m.r) }

// takeCall reads a context's call record.
func (x *rankContext) takeCall(c *Call) {
	args := unsafe.Slice((*uint64)(unsafe.Pointer(x.c.call.args)), int(x.c.call.nargs))
	*c = Call{Rank: x.rank().number(), Fn: int(x.c.call.fn), Args: args, memory: rankMemory{x.rank()}}
}

// answer writes what Go found into the call record.
func (x *rankContext) answer(c *Call) {
	x.c.call.ret = C.int64_t(c.result)
	x.c.call.klass = C.int32_t(c.class)
	x.c.call.comm = C.uint64_t(c.comm)
	if c.class == 0 {
		return
	}
	text := unsafe.Slice((*byte)(unsafe.Pointer(&x.c.call.text[0])), len(x.c.call.text))
	n := copy(text[:len(text)-1], c.text)
	text[n] = 0
}

// maxRequests is the address space of as many requests as handles can tell apart.
func maxRequests() uint64 { return uint64(C.VR_REQUESTS_MAX) }
