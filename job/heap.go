package job

import (
	"strings"

	"ampirun/vrank"
)

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

// stays is why no rank of this job can move, or "".
func (o Options) stays() string {
	switch {
	case !o.facts().Movable && o.facts().Name != "":
		return "ranks cannot move under +privatize " + o.Method
	case o.Heap == HeapHost:
		return "ranks cannot move when their heap is not in their slices (+heap host, or " + HeapVariable + "=host)"
	case o.hostHeap():
		return "ranks cannot move when their heap is not in their slices (+movable no)"
	}
	return ""
}

// inVain warns of options that move ranks where none can move.
func (o Options) inVain() string {
	why := o.stays()
	if why == "" || o.Workers < 2 {
		return ""
	}
	var asked []string
	if o.Balance != "" {
		asked = append(asked, "+lb "+o.Balance)
	}
	if o.Steal {
		asked = append(asked, "+steal")
	}
	if len(asked) == 0 {
		return ""
	}
	return strings.Join(asked, " ") + ": " + why + ": no work will be shared out again"
}

// checkHeap refuses demands on the heap that the method or another option cannot meet.
func (o Options) checkHeap() error {
	switch must := o.Movable == vrank.NeedYes; {
	case must && !o.facts().Movable && o.facts().Name != "":
		return refuse(CodeUsage, "+movable yes: %s: take +privatize pie", o.stays())
	case must && o.Heap == HeapHost:
		return refuse(CodeUsage, "+movable yes: %s", o.stays())
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
