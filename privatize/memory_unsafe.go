package privatize

import (
	"syscall"
	"unsafe"
)

// memory is the n bytes at an address outside the Go heap.
func memory(addr uintptr, n uint64) []byte {
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(*(*unsafe.Pointer)(unsafe.Pointer(&addr))), n)
}

// word is the 8 bytes at an address outside the Go heap.
func word(addr uintptr) *uint64 {
	return (*uint64)(*(*unsafe.Pointer)(unsafe.Pointer(&addr)))
}

// populate has the kernel make pages that are about to be written, at half the price of a fault for each. A kernel older than 5.14
// refuses, and the faults come.
func populate(pages []byte) {
	const populateWrite = 23
	if len(pages) > pageSize {
		syscall.Syscall(syscall.SYS_MADVISE, uintptr(unsafe.Pointer(&pages[0])), uintptr(len(pages)), populateWrite)
	}
}

// addBase turns the offsets in the words at base+at into addresses.
func addBase(base uintptr, at []uint64) {
	start := *(*unsafe.Pointer)(unsafe.Pointer(&base))
	for _, a := range at {
		*(*uint64)(unsafe.Add(start, a)) += uint64(base)
	}
}

// isResident tells whether a page of shared or private memory exists already; reading a hole of shared memory would
// make it.
func isResident(page uintptr) bool {
	var v byte
	_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, page, pageSize, uintptr(unsafe.Pointer(&v)))
	return errno != 0 || v&1 != 0
}

// isMapped tells whether anything is at the address of a page.
func isMapped(page uintptr) bool {
	var v byte
	_, _, errno := syscall.Syscall(syscall.SYS_MINCORE, page, pageSize, uintptr(unsafe.Pointer(&v)))
	return errno == 0
}

// sliceOffset is where part begins in whole, of which it is a slice.
func sliceOffset(whole, part []byte) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(part))) - uintptr(unsafe.Pointer(unsafe.SliceData(whole))))
}
