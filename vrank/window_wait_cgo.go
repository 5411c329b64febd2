package vrank

/*
#include "vrank/core/rank.h"

static int32_t holder_at(uint64_t address)
{
	return address ? atomic_load((_Atomic int32_t *)address) - 1 : -1;
}
*/
import "C"

import "fmt"

// windowWait says whom a rank waits for in a call on a window; false: it waits for something else. It begins with a blank.
func windowWait(r *rank) (s string, ok bool) {
	w := r.waiting()
	switch w.tag {
	case C.VR_WAITS_FOR_LOCK:
		s = lockWait(int(w.peer), int(C.holder_at(C.uint64_t(w.count))))
	case C.VR_WAITS_FOR_POST:
		s = fmt.Sprintf(" for MPI_Win_post of rank %d,", w.peer)
	case C.VR_WAITS_FOR_COMPLETE:
		s = " for MPI_Win_complete of ranks that it has posted for,"
	case C.VR_WAITS_FOR_OPERATION:
		s = fmt.Sprintf(" for the worker of rank %d,", w.peer)
	default:
		return "", false
	}
	return s + fmt.Sprintf(" on a window (context %d)", uint32(w.context)), true
}

func lockWait(target, holder int) string {
	s := fmt.Sprintf(" for the lock of rank %d,", target)
	if target == rankIsNobody {
		s = " for ranks that have locked single ones,"
	}
	if holder >= 0 {
		s += fmt.Sprintf(" which rank %d has,", holder)
	}
	return s
}
