package vrank

/*
#include <string.h>
#include "vrank/core/rank_memory.h"
#include "vrank/libc/library.h"
*/
import "C"

import (
	"unsafe"

	"ampirun/privatize"
)

// carried are the libraries opened at run time that are mapped in this process for one rank, by the offset at which they lie.
type carried map[uint64]bool

func (w *worker) carry(r *rank) carried {
	if w.carries == nil {
		w.carries = map[int]carried{}
	}
	if w.carries[r.number()] == nil {
		w.carries[r.number()] = carried{}
	}
	return w.carries[r.number()]
}

// text0 copies a text into the rank's slice as C has it; nil when that is full.
func (r *rank) text0(s string) *C.char {
	p := C.vr_rank_alloc(&r.c, C.size_t(len(s)+1))
	if p != nil {
		b := unsafe.Slice((*byte)(p), len(s)+1)
		b[copy(b, s)] = 0
	}
	return (*C.char)(p)
}

// adoptLibraries readies this process for what a rank that has come has opened at run time.
func (w *worker) adoptLibraries(r *rank) error {
	var list []privatize.Carried
	for _, l := range r.libraries() {
		if l.image >= 0 {
			continue
		}
		list = append(list, describeCarried(l))
		C.vr_library_adopt(l)
	}
	if len(list) == 0 {
		return nil
	}
	here := w.carry(r)
	err := w.program.Carry(r.imageArea(), list, func(i int) bool { return here[list[i].Place.Offset] })
	for _, c := range list {
		here[c.Place.Offset] = err == nil
	}
	return err
}

func describeCarried(l *library) privatize.Carried {
	identity := C.GoBytes(unsafe.Pointer(&l.identity[0]), C.VR_IDENTITY)
	return privatize.Carried{
		Path: C.GoString(l.object.name), Identity: identity, Scope: C.GoString(l.scope),
		Place: privatize.Place{Offset: uint64(l.object.offset), Module: int(l.object.tls_module), TLSOffset: uint64(l.tls_offset)},
	}
}
