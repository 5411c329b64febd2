package job

import "ampirun/vrank"

// Heap says where ranks allocate.
type Heap string

// The values of Heap. The zero value means HeapAuto.
const (
	HeapAuto Heap = "auto" // as Movable and Registered ask, see vrank.Interception
	HeapIso  Heap = "iso"  // in their slices
	HeapHost Heap = "host" // with the C library's own malloc and mmap
)

// HeapVariable is the environment variable that says what Heap is when no option does.
const HeapVariable = "AMPI_HEAP"

// hostHeap decides where the ranks of this job allocate.
func (o Options) hostHeap() bool {
	switch {
	case o.Heap == HeapHost || o.heapIsBeyondReach():
		return true
	case o.Heap == HeapIso || o.HeapCheck || o.probeOnly:
		return false
	}
	c := vrank.Circumstances{Moves: o.facts().Movable, Registers: o.Workers > 1}
	return !vrank.Intercepts(o.Movable, o.Registered, c)
}

// heapIsBeyondReach tells methods whose ranks allocate with C libraries that ld.so has bound to themselves.
func (o Options) heapIsBeyondReach() bool { return o.facts().LoadedByLd && o.facts().LibC }

// checkHeap refuses demands on the heap that the method or another option cannot meet.
func (o Options) checkHeap() error {
	switch must := o.Movable == vrank.NeedYes; {
	case must && !o.facts().Movable && o.facts().Name != "":
		return refuse(CodeUsage, "+movable yes: ranks cannot move under +privatize %s: take +privatize pie", o.Method)
	case must && o.Heap == HeapHost:
		return refuse(CodeUsage, "+movable yes: ranks cannot move when their heap is not in their slices (+heap host, or %s=host)", HeapVariable)
	case o.Registered == vrank.NeedYes && o.Heap == HeapHost:
		return refuse(CodeUsage, "+registered yes: only slices are registered, and +heap host (or %s=host) puts the heap elsewhere", HeapVariable)
	case o.HeapCheck && o.Heap == HeapHost:
		return refuse(CodeUsage, "--heap-check checks heaps in slices, and +heap host (or %s=host) leaves none there", HeapVariable)
	case o.heapIsBeyondReach() && (o.Heap == HeapIso || o.HeapCheck || o.Registered == vrank.NeedYes):
		return refuse(CodeUsage, "+privatize %s: ranks allocate with their C libraries, which are beyond reach: "+
			"leave +heap iso, +registered yes and --heap-check out, or take +privatize pie", o.Method)
	}
	return nil
}
