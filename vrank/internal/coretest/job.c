/* A job without workers: control area, slices and ranks in one shared mapping. */
#include "vrank/internal/coretest/harness.h"

#include <string.h>
#include <sys/mman.h>

#include "vrank/core/inbox.h"
#include "vrank/core/pool.h"
#include "vrank/libc/life.h"
#include "vrank/p2p/p2p.h"

#define MIB (1ull << 20)
#define SLICE (64 * MIB)

static void *region;
static uint64_t region_size;

static const struct vr_layout layout = {
	.slice_size = SLICE, .guard_size = MIB, .stack = MIB, .stack_size = MIB, .control_block = 2 * MIB,
	.images = 3 * MIB, .images_size = 4096, .requests = 4 * MIB, .requests_size = 16 * MIB,
	.heap = 20 * MIB, .heap_size = SLICE - 20 * MIB,
};

int ct_job_make(int pes, int ranks)
{
	uint64_t control = vr_control_size(pes);
	region_size = control + ranks * SLICE;
	region = mmap(NULL, region_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (region == MAP_FAILED)
		return -1;
	vr_job = region;
	vr_job_init(region, pes, ranks, 0, &layout, (uint64_t)region + control);
	for (int id = 0; id < ranks; id++) {
		ct_be(id * pes / ranks);
		if (vr_rank_init(vr_rank_of(id), id, 0))
			return -1;
	}
	ct_be(0);
	return 0;
}

void ct_job_drop(void)
{
	vr_job = NULL;
	vr_pe = NULL;
	vr_current = NULL;
	munmap(region, region_size);
}

void ct_be(int pe)
{
	vr_pe = &vr_job->pe[pe];
}

void ct_rank_wait(int rank, const struct vr_wait *w)
{
	vr_rank_of(rank)->context.wait = *w;
	atomic_store(&vr_rank_of(rank)->context.state, VR_BLOCKED);
}

int ct_on_wake_list(int pe, int rank)
{
	int n = 0;
	for (struct vr_rank *r = atomic_load(&vr_job->pe[pe].wake); r; r = r->wake_next)
		n += r == vr_rank_of(rank);
	return n;
}

int ct_inbox_length(int rank)
{
	int n = 0;
	for (struct vr_node *p = atomic_load(&vr_rank_of(rank)->inbox); p; p = p->next)
		n++;
	return n;
}

void ct_rank_move(int rank, int pe)
{
	atomic_store(&vr_rank_of(rank)->pe, pe);
}

void ct_rank_watch(int rank)
{
	vr_pe_watch(rank < 0 ? NULL : vr_rank_of(rank));
}

int ct_push(int rank, int source, int tag)
{
	struct vr_env *e = vr_env_alloc(4);
	if (!e)
		return -1;
	e->node.kind = VR_NODE_EAGER;
	e->node.context = 2;
	e->source = source;
	e->tag = tag;
	e->bytes = 4;
	memcpy(vr_env_data(e), &tag, 4);
	vr_inbox_push(vr_rank_of(rank), &e->node);
	return 0;
}

int ct_take(int rank, int32_t *source)
{
	struct vr_matcher *m = &vr_rank_of(rank)->matcher;
	struct vr_env *e = vr_match_find(m, 2, -1, -2);
	if (!e)
		return -1;
	int tag = e->tag;
	*source = e->source;
	vr_match_remove_unexpected(m, e);
	vr_env_free(e);
	return tag;
}

/* ---- pools ---- */

static char *pool_start(int pe)
{
	return vr_job->arena_end + pe * VR_POOL_BYTES;
}

int ct_pool_carved(int pe, int class)
{
	int n = 0;
	for (char *p = pool_start(pe); p < vr_job->pe[pe].pool_next; p += 128 << ((struct vr_env *)p)->node.size_class)
		n += ((struct vr_env *)p)->node.size_class == class;
	return n;
}

int ct_pool_free(int pe, int class)
{
	int n = 0;
	for (struct vr_env *e = vr_job->pe[pe].free[class]; e; e = e->bucket_next, n++)
		if (e->node.pe != pe || e->node.size_class != class || n > vr_job->pe[pe].nfree[class])
			return -1;
	return n == vr_job->pe[pe].nfree[class] ? n : -1;
}

int ct_pool_coming(int pe, int class)
{
	int n = 0;
	for (struct vr_env *e = atomic_load(&vr_job->pe[pe].freed); e; e = e->bucket_next)
		n += e->node.size_class == class;
	return n;
}

void ct_pool_limit(int pe, int64_t bytes)
{
	vr_job->pe[pe].pool_end = vr_job->pe[pe].pool_next + bytes;
}
