package vrank

/*
#include <signal.h>
#include "vrank/core/fiber.h"
#include "vrank/core/park.h"
#include "vrank/core/switch.h"
#include "vrank/fault/fault.h"
#include "vrank/libc/objects.h"
*/
import "C"

import (
	"fmt"
	"sync"
	"time"
	"unsafe"

	"ampirun/internal/unwind"
)

// tracing is held while the PE stands still.
var tracing sync.Mutex

func parkPE(d time.Duration) bool       { return C.vr_park_ask(C.int64_t(d)) != 0 }
func parkedRegisters() unwind.Registers { return registers(&C.vr_park_regs) }
func releasePE()                        { C.vr_park_release() }
func handlesUserSignal() bool           { return C.vr_signal_is_claimed(C.SIGUSR1) != 0 }

// trace adds the stacks of this worker's ranks. The PE stands still, with these registers.
func (w *worker) trace(t *Trace, running unwind.Registers) {
	memory := newPeeker()
	arrived := collectiveWaits(w.cfg.Ranks)
	for _, r := range w.ranks() {
		if r.isEnded() {
			continue
		}
		regs, runs := r.context(running, memory)
		state, note := "running", ""
		if !runs {
			state, note = w.describeState(r, arrived)
		}
		if regs[unwind.RIP] == entryAddress() {
			t.add(r.number(), "not started yet", "", nil)
			continue
		}
		t.add(r.number(), state, note, w.places(t, r, unwind.Walk(regs, !runs, memory.read, w.unwindTable(r), maxFrames)))
		for f := r.c.fibers; f != nil; f = f.next {
			w.traceFiber(t, r, (*rankContext)(unsafe.Pointer(&f.context)), f.call != nil, running, memory)
		}
	}
}

// traceFiber adds a call of a thread of the rank.
func (w *worker) traceFiber(t *Trace, r *rank, fiber *rankContext, busy bool, running unwind.Registers, memory *peeker) {
	runs := uint64(uintptr(unsafe.Pointer(fiber)))-running[unwind.RSP] < fiberBytes
	if !busy || runs { // one that runs is shown as the rank
		return
	}
	regs := savedRegisters(uint64(uintptr(fiber.c.sp)), memory)
	t.add(r.number(), "a thread of it is in a call", "", w.places(t, r, unwind.Walk(regs, true, memory.read, w.unwindTable(r), maxFrames)))
}

// fiberBytes is how far below its control block a fiber's stack may reach.
const fiberBytes = 256 << 10

// entryAddress is where ranks begin.
func entryAddress() uint64 { return uint64(uintptr(C.vr_switch_entry)) }

// describeState is what a rank that does not run waits for: in words that others share, and its own.
func (w *worker) describeState(r *rank, arrived map[uint32]int) (state, note string) {
	switch r.lifeState() {
	case C.VR_BLOCKED:
		name := w.mpi.Name(int(r.waiting().fn))
		return "waiting in " + name, describeWaitFor(r, arrived, w.mpi.Name)
	case C.VR_SLEEPING:
		return "sleeping", ""
	case C.VR_SERVED:
		return "waiting for the runtime", ""
	}
	return "ready to run", ""
}

// context is where a rank is: in the registers of the PE thread if those are on its stack, else where it has switched away.
func (r *rank) context(pe unwind.Registers, memory *peeker) (regs unwind.Registers, runs bool) {
	if pe[unwind.RSP]-uint64(r.slice()) < uint64(C.vr_job.layout.slice_size) {
		return pe, true
	}
	return savedRegisters(uint64(uintptr(r.c.context.sp)), memory), false
}

// savedRegisters are those that vr_switch has left on a stack: struct vr_frame.
func savedRegisters(sp uint64, memory *peeker) (regs unwind.Registers) {
	words := make([]byte, 8*8)
	if !memory.read(sp, words) {
		return regs
	}
	for i, n := range []int{15, 14, 13, 12, unwind.RBX, unwind.RBP, unwind.RIP} {
		regs[n] = *(*uint64)(unsafe.Pointer(&words[8*(i+1)]))
	}
	regs[unwind.RSP] = sp + 64
	return regs
}

func registers(c *[C.VR_REGS]C.uint64_t) (regs unwind.Registers) {
	for i := range regs {
		regs[i] = uint64(c[i])
	}
	return regs
}

// unwindTable finds unwind information of a rank's images and of the worker's.
func (w *worker) unwindTable(r *rank) unwind.Find {
	return func(pc uint64) (uint64, bool) {
		var images C.uint64_t
		if o := C.vr_object_find(C.uint64_t(pc), &images); o != nil {
			return uint64(images + o.eh_frame_hdr), o.eh_frame_hdr != 0
		}
		var host C.struct_vr_host_image
		found := C.vr_host_find(C.uint64_t(pc), &host)
		return uint64(host.eh_frame_hdr), found != 0
	}
}

// places turns the frames of a rank into files and addresses, without the runtime's frames below the program's main.
func (w *worker) places(t *Trace, r *rank, frames []unwind.Frame) []Place {
	places := make([]Place, len(frames))
	kept := 0
	for i, f := range frames {
		path, address, known := fileAt(f.Site())
		if !known {
			places[i] = Place{-1, f.PC}
		} else {
			places[i] = Place{t.file(path), address}
		}
		if !known || path != "" || kept == 0 && i == len(frames)-1 {
			kept = i + 1
		}
	}
	return places[:kept]
}

// fileAt is the file that an address belongs to, and the address that it has there; "" is the worker's program.
func fileAt(pc uint64) (path string, address uint64, ok bool) {
	var images C.uint64_t
	if o := C.vr_object_find(C.uint64_t(pc), &images); o != nil {
		return C.GoString(o.name), pc - uint64(images+o.bias), true
	}
	var host C.struct_vr_host_image
	if C.vr_host_find(C.uint64_t(pc), &host) == 0 {
		return "", 0, false
	}
	path = C.GoString(host.path)
	if l := running.sharedLibrary(path); l != nil {
		return l.Path, pc - uint64(l.Base), true
	}
	return path, pc - uint64(host.bias), true
}

// faultTrace is the backtrace of a rank that has faulted, innermost call first.
func (w *worker) faultTrace(r *rank) *Trace {
	t := &Trace{PE: w.cfg.PE}
	regs := registers(&C.vr_fault.regs)
	frames := unwind.Walk(regs, false, newPeeker().read, w.unwindTable(r), maxFrames)
	t.add(r.number(), fmt.Sprintf("died of signal %d", int(C.vr_fault.signal)), "", w.places(t, r, frames))
	return t
}
