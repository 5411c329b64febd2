package vrank

/*
#include "vrank/core/access.h"
#include "vrank/fault/coredump.h"
#include "vrank/fault/debugger.h"
#include "vrank/fault/fault.h"
*/
import "C"

import (
	"fmt"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"

	"ampirun/internal/unwind"
)

// faultReport says what a rank died of, and where.
func (w *worker) faultReport(r *rank) Event {
	f := C.vr_fault
	signal := syscall.Signal(f.signal)
	e := Event{Kind: EventFault, Rank: r.number(), Signal: int(f.signal), Code: 128 + int(f.signal)}
	what := unix.SignalName(signal)
	switch {
	case signal == syscall.SIGABRT:
		what += " (abort)"
	case w.isStackOverflow(r, uintptr(f.address)):
		what += fmt.Sprintf(": stack overflow, the stack has %d bytes: raise +stack,", w.layout.stackSize)
	default:
		what += fmt.Sprintf(" at address %#x", uint64(f.address))
		if place := placeOf(r, uint64(f.address)); place != "" {
			what += ", " + place + ","
		}
		if f.code == segvPKUErr {
			what += " " + access(f.is_store != 0) + " that +isolate forbids,"
		}
	}
	t := w.faultTrace(r)
	regs := registers(&C.vr_fault.regs)
	lines := new(Symbolizer).Backtrace(t, t.Stacks[0].Places)
	e.Place = w.where(r, uintptr(regs[unwind.RIP]), uintptr(regs[unwind.RSP]))
	e.Text = fmt.Sprintf("rank %d: %s in %s", r.number(), what, e.Place)
	for _, line := range lines {
		e.Text += "\n  " + line
	}
	return e
}

// segvPKUErr is the code of a SIGSEGV by a protection key.
const segvPKUErr = 4

func access(isStore bool) string {
	if isStore {
		return "a store"
	}
	return "a load"
}

// placeOf says whose memory an address is in, or next to; empty outside of slices.
func placeOf(r *rank, address uint64) string {
	var text [80]C.char
	C.vr_access_describe(&r.c, C.uint64_t(address), &text[0], C.size_t(len(text)))
	return C.GoString(&text[0])
}

func (w *worker) isStackOverflow(r *rank, address uintptr) bool {
	guard := r.slice() + uintptr(w.layout.guard)
	return address >= guard && address < guard+uintptr(w.layout.guardSize)
}

// where names a place in the program; for one in a library or the runtime also what of the program called it.
func (w *worker) where(r *rank, pc, sp uintptr) string {
	images := uintptr(r.c.images)
	place := "the runtime"
	if l, ok := w.program.Locate(images, pc); ok {
		place = describePlace(l)
		if l.Path == w.cfg.Program {
			return place
		}
	}
	if caller, ok := w.callerInProgram(r, sp); ok {
		return place + ", called from " + caller
	}
	return place
}

// searchDepth is how much of the stack is searched for a return address of the program.
const searchDepth = 64 << 10

// callerInProgram finds the innermost return address of the program on the rank's stack: a word that points behind a call
// instruction of the program. Libraries without frame pointers leave no better trace without their unwind tables.
func (w *worker) callerInProgram(r *rank, sp uintptr) (string, bool) {
	low := r.slice() + uintptr(w.layout.stack)
	top := r.slice() + uintptr(w.layout.images)
	if sp < low || sp >= top {
		return "", false
	}
	sp &^= 7
	words := unsafe.Slice((*uintptr)(at(sp)), (min(sp+searchDepth, top)-sp)/8)
	images := uintptr(r.c.images)
	for _, word := range words {
		if word < images || word >= images+uintptr(w.layout.imagesSize) {
			continue
		}
		l, ok := w.program.Locate(images, word-1)
		if ok && l.Path == w.cfg.Program && l.Function != "" && followsCall(word) {
			return describePlace(l), true
		}
	}
	return "", false
}

func wantsCore() bool            { return C.vr_core_wanted() != 0 }
func prepareCore()               { C.vr_core_prepare() }
func repeatFault(x *rankContext) { C.vr_fault_repeat(&x.c) }
func awaitDebugger()             { C.vr_debugger_await() }
