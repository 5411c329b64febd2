package coretest

/*
#include <stdlib.h>
#include "harness.h"
*/
import "C"

import "unsafe"

// Loop is a loop of a flattened datatype.
type Loop struct {
	Disp, Count, Stride, Bytes int64
	Child, Children            int
}

// Type is a flattened datatype; Contiguous sets its flag.
type Type struct {
	Size, Extent, TrueLB int64
	Contiguous           bool
	Loops                []Loop
}

func (t *Type) toC() *C.struct_vr_type {
	c := (*C.struct_vr_type)(C.calloc(1, C.sizeof_struct_vr_type))
	c.size, c.extent, c.true_lb = C.int64_t(t.Size), C.int64_t(t.Extent), C.int64_t(t.TrueLB)
	if t.Contiguous {
		c.flags = C.VR_TYPE_CONTIGUOUS
	}
	c.nloops = C.uint32_t(len(t.Loops))
	c.loops = (*C.struct_vr_loop)(C.calloc(C.size_t(len(t.Loops)+1), C.sizeof_struct_vr_loop))
	for i, l := range t.Loops {
		unsafe.Slice(c.loops, len(t.Loops))[i] = C.struct_vr_loop{disp: C.int64_t(l.Disp), count: C.int64_t(l.Count),
			stride: C.int64_t(l.Stride), bytes: C.int64_t(l.Bytes), child: C.uint32_t(l.Child), nchild: C.uint32_t(l.Children)}
	}
	return c
}

func dropType(c *C.struct_vr_type) {
	C.free(unsafe.Pointer(c.loops))
	C.free(unsafe.Pointer(c))
}

// Pack packs count elements whose origin is memory[origin]; it returns the bytes packed.
func (t *Type) Pack(count int64, memory []byte, origin int, out []byte, limit int64) int64 {
	c := t.toC()
	defer dropType(c)
	return int64(C.vr_type_pack(c, C.int64_t(count), unsafe.Pointer(&memory[origin]), unsafe.Pointer(&out[0]), C.int64_t(limit)))
}

// Unpack is the reverse.
func (t *Type) Unpack(count int64, memory []byte, origin int, in []byte, limit int64) int64 {
	c := t.toC()
	defer dropType(c)
	return int64(C.vr_type_unpack(c, C.int64_t(count), unsafe.Pointer(&memory[origin]), unsafe.Pointer(&in[0]), C.int64_t(limit)))
}

// Predefined is a predefined type by its handle: size, extent and the sum of its loops' bytes; false when there is none.
func Predefined(handle uint64) (size, extent, bytes int64, ok bool) {
	t := C.vr_type_predefined(C.uint64_t(handle))
	if t == nil {
		return 0, 0, 0, false
	}
	for _, l := range unsafe.Slice(t.loops, int(t.nloops)) {
		if l.nchild == 0 {
			bytes += int64(l.count * l.bytes)
		}
	}
	return int64(t.size), int64(t.extent), bytes, true
}
