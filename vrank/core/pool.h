/* Envelopes of messages, pool.c. */
#ifndef VRANK_POOL_H
#define VRANK_POOL_H

#include "vrank/core/rank.h"

/* An envelope for `bytes` of payload from this PE's pool; NULL when the pool is full. */
struct vr_env *vr_env_alloc(int64_t bytes);
void vr_env_free(struct vr_env *e);

/* The same for a message that has arrived and has nowhere else to go: without room the job ends. */
struct vr_env *vr_env_need(int64_t bytes);

static inline void *vr_env_data(struct vr_env *e)
{
	return e->bytes <= VR_INLINE ? e->inline_data : e->data;
}

#endif
