/* What of slices this process can touch. The region is mapped as a whole, and what a rank has not allocated is taken out of its owner's address space:
 * the heap beyond its top, what lies between mappings, room for libraries and requests that are not used yet. So a stray store faults, as it would in
 * a process. A hole costs no mapping of the kernel's; each part that is open above it costs one.
 *
 * Other workers read from slices that they do not own. They have all of a slice open unless the rank was theirs before; then a thread that comes
 * upon a hole opens the whole slice again, in its handler of SIGSEGV, and goes on. Code of ranks does so where a rank has a window for loads and
 * stores of others in its slice. */
#ifndef VRANK_ACCESS_H
#define VRANK_ACCESS_H

#include "isomalloc/heap.h"
#include "vrank/core/job.h"
#include "vrank/core/rank_memory.h"

#define VR_ACCESS_SPANS 12 /* open parts of a slice at most: what lies between more of them stays open */

/* PE stack, before ranks are made: from now on slices have holes. `room` is how many mappings of the kernel's they may cost beyond one for each
 * slice; without room what is between stays open. 0, or -1 without memory. */
int vr_access_setup(int region_fd, uint64_t base, int64_t room);

/* PE stack: rank r is this worker's, new or from elsewhere: what it has allocated is open here, and nothing else. 0, or -1 when memory that it has
 * cannot be mapped. */
int vr_access_enter(struct vr_rank *r);

/* The owner: requests up to this size of the array can be used. 0, or -1. */
int vr_access_requests(struct vr_rank *r, uint64_t size);

/* PE stack: the rank's room for libraries can be used from now on. 0, or -1. */
int vr_access_libraries(struct vr_rank *r);

/* The owner of the slice that p lies in: are all n bytes open? Memory outside of slices counts as open. */
int vr_access_holds(const void *p, int64_t n);

/* PE stack: what of slice `id`, from its heap on, is open in this process: ascending, VR_ACCESS_SPANS at most. Returns how many. */
int vr_access_open(int64_t id, struct iso_range *list);

/* Can a buffer of rank r, which is this worker's, be read by whoever gets its address? What is not there is to fault in the rank that gave it, which
 * packs the data then, and not in whoever reads it. */
static inline int vr_others_can_read(const struct vr_rank *r, const void *p, int64_t n)
{
	return vr_likely(vr_access_holds(p, n)) && (vr_job_is_alone() || vr_is_shared(r, p, n));
}

/* A handler of SIGSEGV, any thread: a fault at an address of another worker's rank is made good: of the runtime's, or of a rank's that may look there. 1: try again. */
int vr_access_admit(uint64_t address, uint64_t pc);

/* What an address is, as words that follow a comma: "past the end of its heap", "in rank 7's stack". "its" is that of `me`. The number
 * of the rank whose slice it is in, or -1 and an empty text. */
int32_t vr_access_describe(const struct vr_rank *me, uint64_t address, char *text, size_t n);

#endif
