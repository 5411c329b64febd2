/* Envelopes: each PE has a pool that only it allocates from; what another PE consumed comes home through `freed`. */
#include "vrank/core/pool.h"

#include <stdlib.h>

#include "vrank/core/job.h"
#include "vrank/core/output.h"

#define ADOPT_BELOW 32

static int class_of(int64_t bytes)
{
	int64_t size = bytes <= VR_INLINE ? 0 : bytes + (int64_t)sizeof(struct vr_env) - 1;
	return size < 128 ? 0 : 64 - __builtin_clzll(size) - 7;
}

static void put(struct vr_env *e)
{
	e->bucket_next = vr_pe->free[e->node.size_class];
	vr_pe->free[e->node.size_class] = e;
	vr_pe->nfree[e->node.size_class]++;
}

static void collect_freed(void)
{
	struct vr_env *e = atomic_exchange_explicit(&vr_pe->freed, NULL, memory_order_acquire);
	while (e) {
		struct vr_env *next = e->bucket_next;
		put(e);
		e = next;
	}
}

static struct vr_env *carve(int class)
{
	size_t size = 128ull << class;
	struct vr_env *e = (struct vr_env *)vr_pe->pool_next;
	if (vr_pe->pool_next + size > vr_pe->pool_end)
		return NULL;
	vr_pe->pool_next += size;
	e->node.size_class = class;
	e->node.pe = vr_pe->id;
	return e;
}

struct vr_env *vr_env_alloc(int64_t bytes)
{
	int class = class_of(bytes);
	struct vr_env *e = vr_pe->free[class];
	if (vr_unlikely(!e)) {
		collect_freed();
		e = vr_pe->free[class];
		if (!e)
			return carve(class);
	}
	vr_pe->free[class] = e->bucket_next;
	vr_pe->nfree[class]--;
	return e;
}

/* An envelope that came with a request may well carry the reply: its lines are in this core's cache already. So a PE
 * that has few of the class adopts it. Where messages go one way only, envelopes go home. */
void vr_env_free(struct vr_env *e)
{
	struct vr_pe *home = &vr_job->pe[vr_likely(e->node.pe < vr_job->pes) ? e->node.pe : e->node.pe % vr_job->pes];
	if (home == vr_pe || vr_pe->nfree[e->node.size_class] < ADOPT_BELOW) {
		e->node.pe = vr_pe->id;
		put(e);
		return;
	}
	struct vr_env *head = atomic_load_explicit(&home->freed, memory_order_relaxed);
	do
		e->bucket_next = head;
	while (!atomic_compare_exchange_weak_explicit(&home->freed, &head, e, memory_order_release, memory_order_relaxed));
}

struct vr_env *vr_env_need(int64_t bytes)
{
	struct vr_env *e = vr_env_alloc(bytes);
	if (!e) {
		vr_out_printf(0, 2, "ampirun: worker %d: %llu bytes of messages wait to be received, there is no room for more\n", vr_pe->id, VR_POOL_BYTES);
		abort();
	}
	return e;
}
