package isomalloc

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -fno-pic -I${SRCDIR}/..
#include "heap.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"unsafe"
)

// Heap is the Go view of a heap in a slice, for whoever sets up, inspects or
// moves ranks. Ranks themselves call the C functions. Not for two goroutines at
// once, nor while the heap's rank runs.
type Heap struct{ c *C.struct_iso_heap }

// HeapStats is what a heap holds, in bytes (Refused: a count); see heap.h.
type HeapStats struct {
	Used, Peak, Cached, Touched, Released, Mapped, Area, Refused uint64
}

// InitHeap makes a heap of the memory in area, which must read as zeroes and be
// mapped. check turns on redzones, poison and the search for double frees.
func InitHeap(area Range, check bool) (Heap, error) {
	var flags C.uint
	if check {
		flags = C.ISO_HEAP_CHECK
	}
	c := C.iso_heap_init(pointer(area.Lo), C.size_t(area.Len()), flags)
	if c == nil {
		return Heap{}, fmt.Errorf("make heap in %s: %s are too few", area, formatBytes(area.Len()))
	}
	return Heap{c}, nil
}

// HeapAt is the heap that InitHeap once made at an address, maybe elsewhere.
func HeapAt(addr uintptr) Heap { return Heap{(*C.struct_iso_heap)(pointer(addr))} }

// Addr is where the heap's state lies; HeapAt finds the heap from it.
func (h Heap) Addr() uintptr { return uintptr(unsafe.Pointer(h.c)) }

// Alloc gives the address of size bytes, aligned to 16; 0 when the area is full.
func (h Heap) Alloc(size uint64) uintptr {
	return uintptr(C.iso_heap_alloc(h.c, C.size_t(size)))
}

// Calloc gives the address of size zeroed bytes; 0 when the area is full.
func (h Heap) Calloc(size uint64) uintptr {
	return uintptr(C.iso_heap_calloc(h.c, 1, C.size_t(size)))
}

// Memalign gives size bytes at a multiple of align, a power of two; otherwise 0.
func (h Heap) Memalign(align, size uint64) uintptr {
	return uintptr(C.iso_heap_memalign(h.c, C.size_t(align), C.size_t(size)))
}

// Realloc changes a block's size and gives its new address; 0 when it cannot.
func (h Heap) Realloc(addr uintptr, size uint64) uintptr {
	return uintptr(C.iso_heap_realloc(h.c, pointer(addr), C.size_t(size)))
}

// Free frees a block; 0 is nothing.
func (h Heap) Free(addr uintptr) { C.iso_heap_free(h.c, pointer(addr)) }

// Usable is how many bytes of the block may be used.
func (h Heap) Usable(addr uintptr) uint64 {
	return uint64(C.iso_heap_usable(h.c, pointer(addr)))
}

// Map gives the address of size bytes of fresh pages; 0 when there are none.
func (h Heap) Map(size uint64) uintptr { return uintptr(C.iso_heap_map(h.c, C.size_t(size))) }

// MapAt puts fresh pages at addr, instead of what was mapped there; false when it cannot.
func (h Heap) MapAt(addr uintptr, size uint64) bool {
	return C.iso_heap_map_at(h.c, pointer(addr), C.size_t(size)) != nil
}

// Unmap gives pages that Map handed out back; any part of them.
func (h Heap) Unmap(addr uintptr, size uint64) error {
	if C.iso_heap_unmap(h.c, pointer(addr), C.size_t(size)) != 0 {
		return fmt.Errorf("unmap %s: not a range of mappings", Range{addr, addr + uintptr(size)})
	}
	return nil
}

// Remap changes a mapping's size; 0 when it cannot.
func (h Heap) Remap(addr uintptr, old, size uint64, mayMove bool) uintptr {
	var move C.int
	if mayMove {
		move = 1
	}
	return uintptr(C.iso_heap_remap(h.c, pointer(addr), C.size_t(old), C.size_t(size), move))
}

// Owns tells whether addr lies in the heap's area.
func (h Heap) Owns(addr uintptr) bool { return C.iso_heap_owns(h.c, pointer(addr)) != 0 }

// Trim gives the pages of free memory back; the result is in bytes.
func (h Heap) Trim() uint64 { return uint64(C.iso_heap_trim(h.c)) }

// Lock turns the heap's lock on or off, for ranks that run threads.
func (h Heap) Lock(on bool) {
	var v C.int
	if on {
		v = 1
	}
	C.iso_heap_lock_enable(h.c, v)
}

// Check walks the whole heap; the error says what is damaged.
func (h Heap) Check() error {
	var why [256]C.char
	if C.iso_heap_check(h.c, &why[0], C.size_t(len(why))) == 0 {
		return nil
	}
	return errors.New("heap damaged: " + C.GoString(&why[0]))
}

// Stats tells what the heap holds.
func (h Heap) Stats() HeapStats {
	var s C.struct_iso_heap_stats
	C.iso_heap_stats(h.c, &s)
	return HeapStats{
		Used: uint64(s.used), Peak: uint64(s.peak), Cached: uint64(s.cached), Touched: uint64(s.touched),
		Released: uint64(s.released), Mapped: uint64(s.mapped), Area: uint64(s.area), Refused: uint64(s.refused),
	}
}
