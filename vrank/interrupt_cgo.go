package vrank

/*
#include <stdlib.h>
#include "vrank/freeze/interrupt.h"
#include "vrank/libc/preempt.h"
*/
import "C"

import (
	"unsafe"

	"ampirun/internal/unwind"
)

// prepareInterrupts lets ranks be interrupted that compute while the job is to freeze.
func (w *worker) prepareInterrupts() {
	pieces := w.chosenCode()
	if n := len(pieces); n > 0 {
		list := unsafe.Slice((*C.uint64_t)(C.calloc(C.size_t(n), C.sizeof_uint64_t)), n)
		copy(list, pieces)
		C.vr_interrupt_set_chosen(&list[0], C.int(n/2))
	}
	C.vr_preempt_setup()
}

// chosenCode is where the functions lie that were chosen for the processor, as pairs of offsets.
func (w *worker) chosenCode() (pieces []C.uint64_t) {
	ranks := w.ranks()
	if len(ranks) == 0 {
		return nil
	}
	base := uint64(ranks[0].imageArea())
	memory, table := newPeeker(), w.unwindTable(ranks[0])
	for _, at := range w.program.Chosen() {
		header, ok := table(base + at)
		if !ok {
			continue
		}
		if start, end, ok := unwind.Function(header, base+at, memory.read); ok {
			pieces = append(pieces, C.uint64_t(start-base), C.uint64_t(end-base))
		}
	}
	return pieces
}
