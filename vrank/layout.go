package vrank

import "fmt"

const (
	page = 4096
	// privateSize is what lies before the shared control area: this process's own memory, at an address that all
	// workers agree on. The PE thread's stack is in it.
	privateSize = 64 << 20
	peStackSize = 16 << 20
	// guardSize separates a rank's stack from what lies below it at least, maxGuard at most: automatic arrays of up to the guard's
	// size cannot jump over.
	guardSize = 1 << 20
	maxGuard  = 4 << 30
	// minRequests is the least address space of a rank's request array, backed as it is used: 262,144 of them.
	minRequests  = 64 << 20
	minHeapSize  = 1 << 20
	maxLibraries = 1 << 30 // address space for libraries opened at run time, or an eighth of what a slice has left
	tableSpan    = 2 << 20 // bytes that one page table maps
	colourSpan   = 32 * 64 // by which control blocks are shifted: VR_COLOURS lines
)

// sliceLayout says where the parts of a slice lie, as offsets from its start: guard, stack, TLS save area and control
// block, images, heap, libraries, requests. What a small rank touches is close together around the top of its stack, so that it
// needs few page tables and few entries of the translation buffers.
type sliceLayout struct {
	size                     uint64
	guard, guardSize         uint64
	stack, stackSize         uint64
	controlBlock             uint64 // of a rank of colour 0; the TLS save area lies below it
	tlsSize                  uint64
	images, imagesSize       uint64 // room for the images, which begin at the first aligned address in it
	imagesAlign              uint64
	heap, heapSize           uint64
	libraries, librariesSize uint64 // opened at run time
	requests, requestsSize   uint64
}

func alignUp(n, a uint64) uint64 { return (n + a - 1) &^ (a - 1) }

// guardOf gives a sixteenth of what a slice has to spare to the guard: it is address space alone.
func guardOf(l *sliceLayout) uint64 {
	needed := l.stackSize + l.imagesSize + minRequests + minHeapSize + 4*tableSpan
	if l.size <= needed {
		return guardSize
	}
	return min(guardSize+(l.size-needed)/16, maxGuard)
}

// requestsOf gives a sixteenth of a slice to open requests, which are 256 bytes each: 4 million in 16 GiB.
func requestsOf(l *sliceLayout) uint64 {
	return min(max(l.size/16&^(page-1), minRequests), maxRequests())
}

func newLayout(cfg *Config, imagesSize, imagesAlign, tlsSize uint64) (sliceLayout, error) {
	l := sliceLayout{size: cfg.Layout.SliceSize, imagesSize: imagesSize, tlsSize: tlsSize, stackSize: alignUp(cfg.Stack, page)}
	// The stack's top lies in the middle of what one page table maps, so that its neighbours share that table.
	l.stack = alignUp(guardOf(&l)+l.stackSize+tableSpan/2, tableSpan) + tableSpan/2 - l.stackSize
	l.guardSize = l.stack
	// The first line of the control block ends that page at the latest, so that a switch touches one page: what is free
	// below belongs to the stack.
	l.controlBlock = l.stack + l.stackSize + max(alignUp(tlsSize, 64), page-colourSpan)
	l.images, l.imagesAlign = alignUp(l.controlBlock+headSize(0), page), max(imagesAlign, page)
	l.heap = alignUp(l.images+imagesSize+l.imagesAlign-page, page)
	l.requestsSize = requestsOf(&l)
	if l.heap+minHeapSize+l.requestsSize > l.size {
		return l, fmt.Errorf("a slice of %d bytes has no room for program (%d bytes), stack (%d bytes) and a heap: raise +slice or lower +stack",
			l.size, imagesSize, l.stackSize)
	}
	l.requests = l.size - l.requestsSize
	l.librariesSize = min(maxLibraries, (l.requests-l.heap-minHeapSize)/8) &^ (page - 1)
	l.libraries = l.requests - l.librariesSize
	l.heapSize = l.libraries - l.heap
	return l, nil
}
