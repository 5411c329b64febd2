package vrank

import "fmt"

const (
	page = 4096
	// privateSize is what lies before the shared control area: this process's own memory, at an address that all
	// workers agree on. The PE thread's stack is in it.
	privateSize = 64 << 20
	peStackSize = 16 << 20
	// guardSize separates a rank's stack from what lies below it: automatic arrays of up to this size cannot jump over.
	guardSize = 1 << 20
	// requestsSize is the address space of a rank's request array, backed as it is used.
	requestsSize = 64 << 20
	minHeapSize  = 1 << 20
)

// sliceLayout says where the parts of a slice lie, as offsets from its start: control block, images, thread-local shadow,
// requests, guard, stack, heap. Stack top and first heap pages are neighbours, and so are images and first requests, so
// that a small rank needs few page tables.
type sliceLayout struct {
	size                    uint64
	images, imagesSize      uint64
	tls, tlsSize            uint64
	requests                uint64
	guard, stack, stackSize uint64
	heap, heapSize          uint64
}

func alignUp(n, a uint64) uint64 { return (n + a - 1) &^ (a - 1) }

func newLayout(cfg *Config, imagesSize, imagesAlign, tlsSize uint64) (sliceLayout, error) {
	l := sliceLayout{size: cfg.SliceSize, imagesSize: imagesSize, tlsSize: tlsSize, stackSize: alignUp(cfg.StackSize, page)}
	l.images = alignUp(rcbSize, imagesAlign)
	l.tls = alignUp(l.images+imagesSize, 64)
	l.requests = alignUp(l.tls+tlsSize, page)
	l.guard = l.requests + requestsSize
	l.stack = l.guard + guardSize
	l.heap = l.stack + l.stackSize
	if l.heap+minHeapSize > l.size {
		return l, fmt.Errorf("a slice of %d bytes has no room for program (%d bytes), stack (%d bytes) and a heap: raise +slice or lower +stack",
			l.size, imagesSize, l.stackSize)
	}
	l.heapSize = l.size - l.heap
	return l, nil
}
