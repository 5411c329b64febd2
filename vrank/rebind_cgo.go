package vrank

/*
#include "vrank/migrate/rebind.h"
*/
import "C"

import (
	"unsafe"

	"ampirun/privatize"
)

// noteImages tells the core that this process has the images of a rank, so that it can take the rank in by itself the next time.
func (w *worker) noteImages(r *rank) {
	if C.vr_rebind_is_ready() == 0 {
		b := w.images.Rebinding()
		if b == nil {
			return
		}
		giveRebinding(b)
	}
	C.vr_rebind_note(r.c.id)
}

func giveRebinding(b *privatize.Rebinding) {
	entries, sites := C.vr_rebind_entries(C.int(len(b.Entries))), C.vr_rebind_sites(C.int(len(b.Sites)))
	if entries == nil || sites == nil {
		return
	}
	number := func(is bool) C.uint16_t {
		if is {
			return 1
		}
		return 0
	}
	for i, e := range b.Entries {
		unsafe.Slice(entries, len(b.Entries))[i] = C.struct_vr_rebind_entry{value: C.uint64_t(e.Value), recorded: C.uint64_t(e.Recorded),
			sites: C.uint32_t(e.Sites), is_inside: number(e.Inside), is_answer: number(e.Answer)}
	}
	for i, s := range b.Sites {
		unsafe.Slice(sites, len(b.Sites))[i] = C.struct_vr_rebind_site{at: C.uint64_t(s.At), addend: C.uint64_t(s.Addend)}
	}
	C.vr_rebind_ready(C.uint64_t(b.Table))
}
