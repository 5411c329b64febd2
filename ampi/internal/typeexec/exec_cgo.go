// Package typeexec runs flattened datatypes with the C core's executor, for tests.
package typeexec

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra
#include <stdlib.h>

#include "../../../vrank/type.c"
#include "../../../vrank/type_predefined.c"
*/
import "C"

import (
	"unsafe"

	"ampirun/ampi/datatype"
)

// Type is a datatype in C memory. Free it.
type Type struct{ c *C.struct_vr_type }

// New makes the C form of a layout.
func New(l *datatype.Layout) Type {
	steps := l.Program()
	loops := (*C.struct_vr_loop)(C.calloc(C.size_t(len(steps)), C.sizeof_struct_vr_loop))
	for i, s := range steps {
		unsafe.Slice(loops, len(steps))[i] = C.struct_vr_loop{
			disp: C.int64_t(s.Disp), count: C.int64_t(s.Count), stride: C.int64_t(s.Stride), bytes: C.int64_t(s.Bytes),
			child: C.uint32_t(s.Child), nchild: C.uint32_t(s.Children),
		}
	}
	t := (*C.struct_vr_type)(C.calloc(1, C.sizeof_struct_vr_type))
	t.size, t.lb, t.extent = C.int64_t(l.Size), C.int64_t(l.LB()), C.int64_t(l.Extent())
	t.true_lb, t.true_extent = C.int64_t(l.TrueLB()), C.int64_t(l.TrueExtent())
	t.flags, t.nloops, t.loops = C.uint32_t(l.Flags()), C.uint32_t(len(steps)), loops
	return Type{t}
}

// Free gives the memory back.
func (t Type) Free() {
	C.free(unsafe.Pointer(t.c.loops))
	C.free(unsafe.Pointer(t.c))
}

// Pack packs count elements that start at buf[origin] into out; returns the bytes packed.
func (t Type) Pack(count int64, buf []byte, origin int, out []byte) int64 {
	cbuf, cout := C.CBytes(buf), C.CBytes(out)
	defer C.free(cbuf)
	defer C.free(cout)
	n := C.vr_type_pack(t.c, C.int64_t(count), unsafe.Add(cbuf, origin), cout, C.int64_t(len(out)))
	copy(out, unsafe.Slice((*byte)(cout), len(out)))
	return int64(n)
}

// Unpack is the reverse of Pack.
func (t Type) Unpack(count int64, buf []byte, origin int, in []byte) int64 {
	cbuf, cin := C.CBytes(buf), C.CBytes(in)
	defer C.free(cbuf)
	defer C.free(cin)
	n := C.vr_type_unpack(t.c, C.int64_t(count), unsafe.Add(cbuf, origin), cin, C.int64_t(len(in)))
	copy(buf, unsafe.Slice((*byte)(cbuf), len(buf)))
	return int64(n)
}

// Predefined is what the C core knows about a predefined type.
type Predefined struct {
	Size, LB, Extent, TrueLB, TrueExtent int64
	Flags, Kind, KindSize                uint32
	Pieces                               [][2]int64 // displacement and bytes of its loops without bodies
}

// Lookup finds a predefined type of the C core by handle.
func Lookup(handle uint64) (Predefined, bool) {
	t := C.vr_type_predefined(C.uint64_t(handle))
	if t == nil {
		return Predefined{}, false
	}
	p := Predefined{
		Size: int64(t.size), LB: int64(t.lb), Extent: int64(t.extent), TrueLB: int64(t.true_lb),
		TrueExtent: int64(t.true_extent), Flags: uint32(t.flags), Kind: uint32(t.kind), KindSize: uint32(t.kind_size),
	}
	for _, l := range unsafe.Slice(t.loops, t.nloops) {
		if l.nchild == 0 {
			p.Pieces = append(p.Pieces, [2]int64{int64(l.disp), int64(l.bytes)})
		}
	}
	return p, true
}
