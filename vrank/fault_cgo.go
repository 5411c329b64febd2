package vrank

/*
#include "core.h"
#include "life.h"
*/
import "C"

import (
	"fmt"
	"syscall"

	"golang.org/x/sys/unix"
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
	}
	e.Text = fmt.Sprintf("rank %d: %s in %s", r.number(), what, w.where(r, uintptr(f.pc)))
	return e
}

func (w *worker) isStackOverflow(r *rank, address uintptr) bool {
	guard := r.slice() + uintptr(w.layout.guard)
	return address >= guard && address < guard+uintptr(w.layout.guardSize)
}

// where names a place in the program, or the MPI call that a place in the runtime belongs to.
func (w *worker) where(r *rank, pc uintptr) string {
	images := r.slice() + uintptr(w.layout.images)
	if pc >= images && pc < images+uintptr(w.layout.imagesSize) {
		if l, ok := w.program.Locate(images, pc); ok {
			return describePlace(l)
		}
	}
	return fmt.Sprintf("code of the runtime or the system (pc %#x)", pc)
}
