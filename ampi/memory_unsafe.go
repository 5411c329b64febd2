package ampi

import (
	"bytes"
	"unsafe"
)

// pointer is an address of the region. The region is not Go's memory: the collector neither moves nor looks at it.
func pointer(addr uint64) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&addr)) }

// view is n elements at an address that the program gave.
func view[T any](addr uint64, n int64) []T { return unsafe.Slice((*T)(pointer(addr)), n) }

// cString copies a string that ends with NUL.
func cString(addr uint64) string {
	const step = 64
	var s []byte
	for {
		// Not beyond the next multiple of 64: the page after the string may not be there.
		part := view[byte](addr, int64(step-addr%step))
		if end := bytes.IndexByte(part, 0); end >= 0 {
			return string(append(s, part[:end]...))
		}
		s = append(s, part...)
		addr += uint64(len(part))
	}
}
