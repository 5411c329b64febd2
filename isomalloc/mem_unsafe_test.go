package isomalloc

import (
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// anonArea maps private anonymous memory, the heap's other kind of home.
func anonArea(t testing.TB, size uint64) Range {
	t.Helper()
	p, err := unix.MmapPtr(-1, 0, nil, uintptr(size), unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANONYMOUS|unix.MAP_NORESERVE)
	if err != nil {
		t.Fatalf("map %d bytes: %v", size, err)
	}
	t.Cleanup(func() { unix.MunmapPtr(p, uintptr(size)) })
	return Range{uintptr(p), uintptr(p) + uintptr(size)}
}

// mem is n bytes at addr, outside Go's heap.
func mem(addr uintptr, n uint64) []byte { return bytesAt(addr, addr+uintptr(n)) }

// wordAt is the word at addr.
func wordAt(addr uintptr) *uint64 { return (*uint64)(pointer(addr)) }

// residentPages counts the pages of a range that are in memory, by mincore.
func residentPages(t testing.TB, r Range) int {
	t.Helper()
	vec := make([]byte, (r.Len()+pageSize-1)/pageSize)
	_, _, errno := unix.Syscall(unix.SYS_MINCORE, r.Lo, uintptr(r.Len()), uintptr(unsafe.Pointer(&vec[0])))
	if errno != 0 {
		t.Fatalf("mincore %s: %v", r, errno)
	}
	n := 0
	for _, v := range vec {
		n += int(v & 1)
	}
	return n
}
