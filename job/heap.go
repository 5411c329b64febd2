package job

import (
	"strings"

	"ampirun/internal/refusal"
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

// binds is what keeps every rank of this job in its process, in the words that follow "ranks cannot move", and the way out; or "".
func (o Options) binds() (why, wayOut string) {
	switch {
	case !o.facts().Movable && o.facts().Name != "":
		return "under +privatize " + o.Method, "take +privatize pie"
	case o.Heap == HeapHost:
		return "when their heap is not in their slices (+heap host, or " + HeapVariable + "=host)", "leave that out"
	case o.hostHeap():
		return "when their heap is not in their slices (+movable no)", "leave that out"
	}
	return "", ""
}

// stays is why no rank of this job can move, or "".
func (o Options) stays() string {
	if why, _ := o.binds(); why != "" {
		return "ranks cannot move " + why
	}
	return ""
}

// cannotBeSaved is why no rank of this job can be, in the words that follow "ranks cannot be saved", with the way out; or "".
func (o Options) cannotBeSaved() string {
	if o.Copy {
		return "under +migrate copy: take +migrate share"
	}
	if why, wayOut := o.binds(); why != "" {
		return why + ": " + wayOut
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
	switch why, wayOut := o.binds(); {
	case o.Movable == vrank.NeedYes && why != "":
		return refusal.New(refusal.CodeUsage, "+movable yes: ranks cannot move %s: %s", why, wayOut)
	case o.Registered == vrank.NeedYes && o.Heap == HeapHost:
		return refusal.New(refusal.CodeUsage, "+registered yes: only slices are registered, and +heap host (or %s=host) puts the heap elsewhere", HeapVariable)
	case o.HeapCheck && o.Heap == HeapHost:
		return refusal.New(refusal.CodeUsage, "--heap-check checks heaps in slices, and +heap host (or %s=host) leaves none there", HeapVariable)
	case o.heapIsBeyondReach() && (o.Heap == HeapIso || o.HeapCheck || o.Registered == vrank.NeedYes):
		return refusal.New(refusal.CodeUsage, "+privatize %s: ranks allocate with their C libraries, which are beyond reach: "+
			"leave +heap iso, +registered yes and --heap-check out, or take +privatize pie", o.Method)
	}
	return nil
}
