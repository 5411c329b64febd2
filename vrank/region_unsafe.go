package vrank

import "unsafe"

// at is a pointer to an address in the region: memory that the Go runtime does not manage and never moves.
func at(addr uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// bytesAt is memory of the region as bytes.
func bytesAt(p unsafe.Pointer, n uint64) []byte { return unsafe.Slice((*byte)(p), n) }
