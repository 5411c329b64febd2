package vrank

/*
#include <stdlib.h>

#include "vrank/libc/fd_table.h"
#include "vrank/libc/file_journal.h"

static int32_t owner_of(int fd)
{
	int is_in = fd >= vr_job->fd_first && fd < vr_job->fd_count;
	return is_in ? atomic_load(&vr_job->fd_owner[fd]) - 1 : -1;
}
*/
import "C"

import "unsafe"

// ownerOf is the rank that a descriptor's number belongs to, in whichever worker; negative: none.
func ownerOf(fd int) int { return int(C.owner_of(C.int(fd))) }

// descriptors are the numbers of those that the rank has.
func (r *rank) descriptors() []int {
	fds := make([]C.int, 64)
	n := int(C.vr_fds_of(&r.c, &fds[0], C.int(len(fds))))
	if n > len(fds) {
		fds = make([]C.int, n)
		n = min(n, int(C.vr_fds_of(&r.c, &fds[0], C.int(n))))
	}
	list := make([]int, n)
	for i := range list {
		list[i] = int(fds[i])
	}
	return list
}

// startJournal begins to note which files ranks open.
func (w *worker) startJournal() {
	o, memory, folder := &w.cfg.Journal, C.int(-1), C.int(-1)
	if o.Memory {
		memory = C.int(o.FD)
	} else if o.Name != "" {
		folder = C.int(o.FD)
	}
	name := C.CString(o.Name)
	defer C.free(unsafe.Pointer(name))
	C.vr_journal_setup(folder, name, memory, C.int32_t(o.Epoch), C.int32_t(w.cfg.PE))
}

// nextEpoch has what is opened from now on noted apart. All ranks of the job are at rest.
func nextEpoch() int { return int(C.vr_journal_next()) }
