// Package testrank makes rank control blocks with a heap but without a program, so that tests can have calls served.
package testrank

/*
#cgo CFLAGS: -std=gnu11 -O2 -g -Wall -Wextra -Wno-unused-parameter -D_GNU_SOURCE -I${SRCDIR}/../../..
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "isomalloc/heap.h"
#include "vrank/core/job.h"
#include "vrank/core/rank_memory.h"

#define HEAP (256ul << 20)

static struct vr_rank *rank_make(int id, int ranks)
{
	if (!vr_job)
		vr_job = calloc(1, sizeof *vr_job);
	vr_job->ranks = ranks;
	struct vr_rank *r = aligned_alloc(alignof(struct vr_rank), (VR_CONTROL_BLOCK + 63) & ~63ul);
	void *heap = mmap(NULL, HEAP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	memset(r, 0, VR_CONTROL_BLOCK);
	r->mpi = r + 1;
	r->id = id;
	r->heap = iso_heap_init(heap, HEAP, 0);
	r->mpi_state = VR_MPI_RUNNING;
	return r;
}

static uint64_t rank_used(struct vr_rank *r)
{
	struct iso_heap_stats s;
	iso_heap_stats(r->heap, &s);
	return s.used;
}
*/
import "C"

import (
	"unsafe"

	_ "ampirun/vrank" // the C core
)

// Rank is a rank of its own job, with MPI running. It is vrank.Memory.
type Rank struct{ r *C.struct_vr_rank }

// New makes a rank of a job with the given number of ranks. Tests of one process share one job.
func New(id, ranks int) *Rank { return &Rank{C.rank_make(C.int(id), C.int(ranks))} }

// Alloc gives zeroed memory of the rank's heap.
func (k *Rank) Alloc(n uintptr) unsafe.Pointer { return C.vr_rank_calloc(k.r, 1, C.size_t(n)) }

// Free takes memory back.
func (k *Rank) Free(p unsafe.Pointer) { C.vr_rank_free(k.r, p) }

// RankState is the MPI layer's state.
func (k *Rank) RankState() unsafe.Pointer { return k.r.mpi }

// Rank is the control block.
func (k *Rank) Rank() unsafe.Pointer { return unsafe.Pointer(k.r) }

// Used is the bytes that are allocated on the heap.
func (k *Rank) Used() uint64 { return uint64(C.rank_used(k.r)) }

// SetRunning says whether MPI is initialised and not finalised.
func (k *Rank) SetRunning(running bool) {
	k.r.mpi_state = C.VR_MPI_BEFORE
	if running {
		k.r.mpi_state = C.VR_MPI_RUNNING
	}
}
