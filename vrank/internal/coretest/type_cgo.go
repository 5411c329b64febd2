package coretest

/*
#include <stdlib.h>
#include "vrank/internal/coretest/harness.h"
*/
import "C"

import "unsafe"

// Loop is a loop of a flattened datatype.
type Loop struct {
	Disp, Count, Stride, Bytes int64
	Child, Children            int
}

// bytes is the data of one repetition.
func (t *Type) bytes(l Loop) int64 {
	if l.Children == 0 {
		return l.Bytes
	}
	var n int64
	for _, child := range t.Loops[l.Child : l.Child+l.Children] {
		n += child.Count * t.bytes(child)
	}
	return n
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
	loops := unsafe.Slice(c.loops, len(t.Loops))
	for i, l := range t.Loops {
		loops[i].disp, loops[i].count, loops[i].stride = C.int64_t(l.Disp), C.int64_t(l.Count), C.int64_t(l.Stride)
		loops[i].bytes, loops[i].child, loops[i].nchild = C.int64_t(t.bytes(l)), C.uint32_t(l.Child), C.uint32_t(l.Children)
		at := int64(0)
		for k := l.Child; k < l.Child+l.Children; k++ {
			loops[k].at = C.int64_t(at)
			at += t.Loops[k].Count * t.bytes(t.Loops[k])
		}
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
		bytes += int64(l.count * l.bytes)
	}
	return int64(t.size), int64(t.extent), bytes, true
}
