/* Memory of a rank's slice that the runtime has for itself, and what other workers can read of a slice: rank_memory.c. */
#ifndef VRANK_RANK_MEMORY_H
#define VRANK_RANK_MEMORY_H

#include "vrank/core/rank.h"

/* Memory of a rank's slice for the runtime. The owner. */
void *vr_rank_alloc(struct vr_rank *r, size_t n);
void *vr_rank_calloc(struct vr_rank *r, size_t n, size_t size);
void *vr_rank_realloc(struct vr_rank *r, void *p, size_t n);
void vr_rank_free(struct vr_rank *r, void *p);

/* Can other workers read [p, p+n) of this rank? Not read-only segments, thread-local variables, memory outside the slice. */
int vr_is_shared(const struct vr_rank *r, const void *p, int64_t n);

/* Tell which parts of the image area are private writable memory; PE stack, once. */
void vr_images_writable(const uint64_t *ranges, int n);

#endif
