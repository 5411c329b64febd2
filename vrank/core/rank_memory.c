/* Memory of a rank's slice that the runtime has for itself, and what other workers can read of a slice. */
#include <string.h>

#include "isomalloc/heap.h"
#include "vrank/core/hooks.h"
#include "vrank/core/rank_memory.h"

void *vr_rank_alloc(struct vr_rank *r, size_t n)
{
	return iso_heap_alloc(r->heap, n);
}

void *vr_rank_calloc(struct vr_rank *r, size_t n, size_t size)
{
	return iso_heap_calloc(r->heap, n, size);
}

void *vr_rank_realloc(struct vr_rank *r, void *p, size_t n)
{
	return iso_heap_realloc(r->heap, p, n);
}

void vr_rank_free(struct vr_rank *r, void *p)
{
	if (p)
		iso_heap_free(r->heap, p);
}

/* ---- what other workers can read ---- */

#define RANGES 128
static uint64_t writable[RANGES][2]; /* of the image area, offsets */
static int nwritable;

void vr_images_writable(const uint64_t *ranges, int n)
{
	nwritable = n < RANGES ? n : RANGES;
	memcpy(writable, ranges, nwritable * sizeof writable[0]);
}

int vr_is_shared(const struct vr_rank *r, const void *p, int64_t n)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t at = (uint64_t)p - r->slice;
	if (at >= l->heap && at + n <= l->heap + l->heap_size)
		return vr_likely(!r->file_mappings) || !vr_core_hooks.is_mapped_file(r, p, (size_t)n);
	if (at >= l->stack && at + n <= (uint64_t)r - l->tls_size - r->slice)
		return 1;
	at = (uint64_t)p - r->images;
	if (r->images != vr_images_of(r->id))
		return 0; /* another rank's slice: this worker has it mapped, others need not */
	for (int i = 0; i < nwritable; i++)
		if (at >= writable[i][0] && at + n <= writable[i][1])
			return 1;
	return 0;
}
