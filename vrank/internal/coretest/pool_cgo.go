package coretest

/*
#include "vrank/core/job.h"
#include "vrank/core/pool.h"
#include "vrank/internal/coretest/harness.h"
*/
import "C"

import "unsafe"

// Classes is the number of envelope sizes.
const Classes = C.VR_POOL_CLASSES

// EagerMax is the longest payload that travels with its envelope.
const EagerMax = C.VR_EAGER_MAX

// EnvelopeHeader is the bytes of an envelope without payload.
const EnvelopeHeader = C.sizeof_struct_vr_env

// Envelope is one of a pool.
type Envelope struct{ e *C.struct_vr_env }

// Alloc takes an envelope for so many bytes from the current PE's pool; false when that is full.
func (*Job) Alloc(bytes int) (Envelope, bool) {
	e := C.vr_env_alloc(C.int64_t(bytes))
	if e != nil {
		e.bytes = C.int64_t(bytes)
	}
	return Envelope{e}, e != nil
}

// Free gives it back, on the current PE.
func (e Envelope) Free() { C.vr_env_free(e.e) }

// Data is its payload.
func (e Envelope) Data() []byte {
	return unsafe.Slice((*byte)(C.vr_env_data(e.e)), int(e.e.bytes))
}

// Class is its size class, Home the PE whose pool it belongs to.
func (e Envelope) Class() int { return int(e.e.node.size_class) }

// Home is the PE whose pool it belongs to.
func (e Envelope) Home() int { return int(e.e.node.pe) }

// Address is where it lies.
func (e Envelope) Address() uintptr { return uintptr(unsafe.Pointer(e.e)) }

// Carved counts the envelopes of a class that a PE's pool has made.
func (*Job) Carved(pe, class int) int { return int(C.ct_pool_carved(C.int(pe), C.int(class))) }

// Spare counts those in a PE's free list; -1 when list and counter differ or one does not belong there.
func (*Job) Spare(pe, class int) int { return int(C.ct_pool_free(C.int(pe), C.int(class))) }

// Coming counts those that others freed and a PE has not looked at.
func (*Job) Coming(pe, class int) int { return int(C.ct_pool_coming(C.int(pe), C.int(class))) }

// LimitPool leaves a PE's pool so many bytes that are not carved.
func (*Job) LimitPool(pe, bytes int) { C.ct_pool_limit(C.int(pe), C.int64_t(bytes)) }
