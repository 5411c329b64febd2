/* The job's structures in the control area: header and PEs, an arena for shared objects, one envelope pool and one ring of the timeline per PE. */
#include "vrank/core/job.h"

#include <sched.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <time.h>

#include "vrank/core/hooks.h"
#include "vrank/core/schedule.h"
#include "vrank/core/timeline.h"

struct vr_job *vr_job;
struct vr_pe *vr_pe;

#define ALIGN_UP(x, a) (((x) + (a) - 1) & ~((uint64_t)(a) - 1))

#define PES_AFTER_RESTART 64 /* that a job which can be saved is prepared for */

static uint64_t header_size(int pes)
{
	return ALIGN_UP(sizeof(struct vr_job) + pes * sizeof(struct vr_pe), 4096);
}

uint64_t vr_job_header(void)
{
	return header_size(vr_job->pes);
}

uint64_t vr_control_size(int pes)
{
	return ALIGN_UP(header_size(VR_MAX_PES) + VR_ARENA_BYTES + pes * (VR_POOL_BYTES + vr_timeline_size()), 1ull << 30);
}

/* Both clocks at one moment: the best of several tries, since others may take the core in between. */
static int64_t read_clocks(uint64_t *ticks)
{
	uint64_t best = UINT64_MAX;
	*ticks = 0;
	int64_t now = 0;
	for (int i = 0; i < 8; i++) {
		uint64_t before = vr_ticks();
		int64_t t = vr_now();
		uint64_t took = vr_ticks() - before;
		if (took < best) {
			best = took;
			now = t;
			*ticks = before + took / 2;
		}
	}
	return now;
}

/* How fast the time-stamp counter runs, from a millisecond of it. */
uint64_t vr_job_measure_ticks(void)
{
	uint64_t c0, c1;
	int64_t t0 = read_clocks(&c0), t1;
	while (vr_now() - t0 < 1000000)
		;
	t1 = read_clocks(&c1);
	return (c1 - c0) * 1000000000ull / (t1 - t0);
}

static uint64_t random_word(void)
{
	uint64_t word;
	return getrandom(&word, sizeof word, 0) == sizeof word ? word : vr_ticks() * 0x9e3779b97f4a7c15u;
}

void vr_job_init(void *control, int pes, int ranks, int keeps, const struct vr_layout *layout, uint64_t slices)
{
	struct vr_job *job = control;
	char *arena = (char *)control + header_size(VR_MAX_PES);
	job->pes = pes;
	job->keeps = keeps;
	job->room = keeps && pes < PES_AFTER_RESTART ? PES_AFTER_RESTART : pes;
	job->ranks = ranks;
	job->live = ranks;
	job->layout = *layout;
	job->slices = slices;
	job->canary = random_word() & ~0xffull; /* as glibc does: a zero byte stops string overruns */
	job->pointer_guard = random_word();
	job->ticks_per_second = vr_job_measure_ticks();
	job->next_context = 16; /* the first ones belong to the predefined communicators */
	job->arena_next = arena;
	job->arena_end = arena + VR_ARENA_BYTES;
	for (int i = 0; i < pes; i++) {
		job->pe[i].id = i;
		job->pe[i].core = -1;
		job->pe[i].pool_next = arena + VR_ARENA_BYTES + i * VR_POOL_BYTES;
		job->pe[i].pool_end = job->pe[i].pool_next + VR_POOL_BYTES;
		job->pe[i].timeline = (struct vr_timeline *)(arena + VR_ARENA_BYTES + pes * VR_POOL_BYTES + i * vr_timeline_size());
	}
	vr_core_hooks.job_made(job);
	job->magic = VR_JOB_MAGIC;
}

/* ---- the arena: objects of a node, made and freed rarely; free ones wait in lists by size ---- */

struct free_block {
	struct free_block *next;
};

static struct free_block **free_list(size_t n)
{
	return (struct free_block **)&vr_job->arena_free[64 - __builtin_clzll(n - 1)];
}

static void arena_lock(void)
{
	while (atomic_exchange_explicit(&vr_job->arena_lock, 1, memory_order_acquire))
		sched_yield();
}

static void arena_unlock(void)
{
	atomic_store_explicit(&vr_job->arena_lock, 0, memory_order_release);
}

#define ARENA_BIG (64u << 10) /* such blocks begin at a page, and a free one has no memory but for its first page */
#define PAGE 4096ul

static void *arena_carve(size_t n)
{
	if (n >= ARENA_BIG)
		vr_job->arena_next = (char *)(((uint64_t)vr_job->arena_next + PAGE - 1) & -PAGE);
	char *p = vr_job->arena_next;
	if (n > (size_t)(vr_job->arena_end - p))
		return NULL;
	vr_job->arena_next += n;
	return p;
}

static size_t arena_size(size_t n)
{
	return n <= 64 ? 64 : 1ull << (64 - __builtin_clzll(n - 1));
}

void *vr_arena_alloc(size_t n)
{
	n = arena_size(n);
	arena_lock();
	struct free_block **list = free_list(n), *b = *list;
	if (b)
		*list = b->next;
	else
		b = arena_carve(n);
	if (b)
		vr_job->arena_used += n;
	arena_unlock();
	return b ? memset(b, 0, n < ARENA_BIG ? n : sizeof *b) : NULL;
}

void vr_arena_free(void *p, size_t n)
{
	n = arena_size(n);
	if (n >= ARENA_BIG && madvise(p, n, MADV_REMOVE))
		memset(p, 0, n);
	arena_lock();
	struct free_block **list = free_list(n), *b = p;
	b->next = *list;
	*list = b;
	vr_job->arena_used -= n;
	arena_unlock();
}
