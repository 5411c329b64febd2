// Package typeexec runs flattened datatypes with the C core's executor, for tests.
package typeexec

/*
#cgo CFLAGS: -std=gnu11 -O2 -Wall -Wextra -I${SRCDIR}/../../..
#include <stdlib.h>

#include "vrank/p2p/type.c"
#include "vrank/p2p/type_predefined.c"
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
	p := l.Program()
	loops := (*C.struct_vr_loop)(C.calloc(C.size_t(len(p.Steps)), C.sizeof_struct_vr_loop))
	for i, s := range p.Steps {
		unsafe.Slice(loops, len(p.Steps))[i] = C.struct_vr_loop{
			disp: C.int64_t(s.Disp), count: C.int64_t(s.Count), stride: C.int64_t(s.Stride), bytes: C.int64_t(s.Bytes),
			at: C.int64_t(s.At), child: C.uint32_t(s.Child), nchild: C.uint32_t(s.Children), block: C.uint32_t(s.Block),
		}
	}
	table := (*C.int64_t)(C.calloc(C.size_t(len(p.Table)+1), 8))
	copy(unsafe.Slice((*int64)(unsafe.Pointer(table)), len(p.Table)), p.Table)
	t := (*C.struct_vr_type)(C.calloc(1, C.sizeof_struct_vr_type))
	t.size, t.lb, t.extent = C.int64_t(l.Size), C.int64_t(l.LB()), C.int64_t(l.Extent())
	t.true_lb, t.true_extent = C.int64_t(l.TrueLB()), C.int64_t(l.TrueExtent())
	t.flags, t.nloops, t.loops = C.uint32_t(l.Flags()), C.uint32_t(len(p.Steps)), loops
	t.table = table
	return Type{t}
}

// Free gives the memory back.
func (t Type) Free() {
	C.free(unsafe.Pointer(t.c.loops))
	C.free(unsafe.Pointer(t.c.table))
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
		begin := int64(0)
		for k := range int(l.nchild) { // of predefined types, only MPI_SHORT_INT has several pieces, of different sizes
			entry := unsafe.Slice(t.table, 2*l.nchild)[2*k:]
			p.Pieces = append(p.Pieces, [2]int64{int64(entry[0]), int64(entry[1]) - begin})
			begin = int64(entry[1])
		}
	}
	return p, true
}

// PackFrom packs from byte skip on, as far as out goes.
func (t Type) PackFrom(count int64, buf []byte, origin int, skip int64, out []byte) int64 {
	cbuf, cout := C.CBytes(buf), C.CBytes(out)
	defer C.free(cbuf)
	defer C.free(cout)
	n := C.vr_type_pack_from(t.c, C.int64_t(count), unsafe.Add(cbuf, origin), C.int64_t(skip), cout, C.int64_t(len(out)))
	copy(out, unsafe.Slice((*byte)(cout), len(out)))
	return int64(n)
}

// UnpackFrom is the reverse of PackFrom.
func (t Type) UnpackFrom(count int64, buf []byte, origin int, skip int64, in []byte) int64 {
	cbuf, cin := C.CBytes(buf), C.CBytes(in)
	defer C.free(cbuf)
	defer C.free(cin)
	n := C.vr_type_unpack_from(t.c, C.int64_t(count), unsafe.Add(cbuf, origin), C.int64_t(skip), cin, C.int64_t(len(in)))
	copy(buf, unsafe.Slice((*byte)(cbuf), len(buf)))
	return int64(n)
}

// Copy moves count elements from one buffer to another through the core's typed copy.
func Copy(to Type, toCount int64, toBuf []byte, toOrigin int, from Type, fromCount int64, fromBuf []byte, fromOrigin int, bytes int64) {
	cto, cfrom := C.CBytes(toBuf), C.CBytes(fromBuf)
	defer C.free(cto)
	defer C.free(cfrom)
	C.vr_type_copy(C.struct_vr_data{unsafe.Add(cto, toOrigin), C.int64_t(toCount), to.c},
		C.struct_vr_data{unsafe.Add(cfrom, fromOrigin), C.int64_t(fromCount), from.c}, C.int64_t(bytes))
	copy(toBuf, unsafe.Slice((*byte)(cto), len(toBuf)))
}
