/* Ranks that others may take: see stealable.h. */
#include "vrank/migrate/stealable.h"

#include <sched.h>

#include "vrank/core/callback.h"
#include "vrank/core/idle.h"
#include "vrank/core/inbox.h"
#include "vrank/core/progress_hook.h"
#include "vrank/core/schedule.h"
#include "vrank/core/tls.h"
#include "vrank/libc/life.h"
#include "vrank/migrate/move.h"
#include "vrank/migrate/steal.h"

/* So much of the queue is looked at for ranks to offer. */
#define LOOK_FAR 32

/* When there was none among so many, one switch more passes until the next look. */
#define LOOK_AGAIN 8

/* ---- the PE that has them ---- */

static int is_free(const struct vr_context *c)
{
	const struct vr_rank *r = c->rank;
	return vr_steal_may_go(c) && vr_likely_run(r) > 2 * vr_steal_policy.cost &&
	       !r->is_kept && !r->libraries && !r->guarded && !r->file_mappings && !r->is_redirected && !r->directory && !r->signals &&
	       !atomic_load_explicit(&r->descriptors, memory_order_relaxed);
}

/* Those of the first ranks in the queue that may be offered, and how many ranks are before each. The queue's length, as far as it is seen. */
static int candidates(struct vr_rank **list, int *before, int *count)
{
	int n = 0;
	*count = 0;
	for (struct vr_context *c = vr_pe->head; c && n < LOOK_FAR; c = c->run_next, n++)
		if (c->rank != vr_loaded && is_free(c)) {
			before[*count] = n;
			list[(*count)++] = c->rank;
		}
	return n;
}

/* The one that is being left still runs on its own stack: until the switch has stored its stack pointer, that is NULL, and whoever takes it
 * waits. */
static void offer(struct vr_rank *r, int slot, const struct vr_context *from)
{
	vr_schedule_remove(&r->context);
	vr_rank_release(r);
	if (&r->context == from)
		*(void *volatile *)&r->context.sp = NULL;
	atomic_store(&r->pe, vr_pe->id | VR_IN_TRANSIT);
	atomic_store(&vr_pe->stealable[slot], r);
}

static void wake_sleepers(int n)
{
	for (int i = 0; n && i < vr_job->pes; i++)
		if (i != vr_pe->id && atomic_load(&vr_job->pe[i].asleep)) {
			vr_pe_ring(&vr_job->pe[i]);
			n--;
		}
}

/* The last ones of the queue, which would wait longest: half of all. */
static void refill(const struct vr_context *from)
{
	struct vr_rank *list[LOOK_FAR];
	int before[LOOK_FAR], count, n = candidates(list, before, &count);
	int give = vr_steal_policy.half ? (count + 1) / 2 : count != 0;
	if (give > VR_STEALABLE)
		give = VR_STEALABLE;
	vr_pe->has_stealable = give;
	vr_pe->stealable_until = vr_pe->switches + (give && before[count - give] ? before[count - give] : 1 + n / LOOK_AGAIN);
	for (int i = 0; i < give; i++)
		offer(list[count - give + i], i, from);
	if (give)
		wake_sleepers(give);
}

static int are_taken(void)
{
	for (int i = 0; i < VR_STEALABLE; i++)
		if (atomic_load_explicit(&vr_pe->stealable[i], memory_order_relaxed))
			return 0;
	return 1;
}

static int take_back(int slot, void (*enqueue)(struct vr_context *))
{
	struct vr_rank *r = atomic_load_explicit(&vr_pe->stealable[slot], memory_order_relaxed);
	if (!r || !(r = atomic_exchange(&vr_pe->stealable[slot], NULL)))
		return 0;
	vr_rank_adopt(r);
	enqueue(&r->context);
	if (atomic_load(&r->inbox))
		vr_inbox_drain(r);
	return 1;
}

int vr_stealable_retake(void)
{
	int n = 0;
	for (int i = 0; i < VR_STEALABLE; i++)
		n += take_back(i, vr_rank_ready);
	vr_pe->has_stealable = 0;
	return n > 0;
}

void vr_stealable_retract(const struct vr_rank *r)
{
	for (int i = 0; i < VR_STEALABLE; i++)
		if (atomic_load_explicit(&vr_pe->stealable[i], memory_order_relaxed) == r)
			take_back(i, vr_rank_ready);
}

void vr_stealable_turn(struct vr_context *from, struct vr_context *to)
{
	if (vr_pe->switches < vr_pe->stealable_until && !(vr_pe->has_stealable && are_taken()))
		return;
	for (int i = VR_STEALABLE; vr_pe->has_stealable && i-- > 0;)
		take_back(i, vr_rank_next);
	vr_pe->has_stealable = 0;
	if (vr_in_callbacks || vr_progress_hooks.head || vr_progress_hooks.running)
		return;
	if (to->rank != vr_loaded) /* so that the block of the one before is in its slice */
		vr_tls_load(to->rank);
	refill(from);
}

/* ---- the PE that takes them ---- */

static int offered(const struct vr_pe *pe)
{
	int n = 0;
	for (int i = 0; i < VR_STEALABLE; i++)
		n += atomic_load_explicit(&pe->stealable[i], memory_order_relaxed) != NULL;
	return n;
}

static struct vr_pe *richest(void)
{
	struct vr_pe *best = NULL;
	for (int i = 0, most = 0; i < vr_job->pes; i++) {
		int n = i == vr_pe->id ? 0 : offered(&vr_job->pe[i]);
		if (n > most) {
			most = n;
			best = &vr_job->pe[i];
		}
	}
	return best;
}

int vr_stealable_exist(void)
{
	return richest() != NULL;
}

static struct vr_rank *take_one(struct vr_pe *from)
{
	struct vr_rank *r = NULL;
	for (int i = 0; i < VR_STEALABLE && !r; i++)
		if (atomic_load_explicit(&from->stealable[i], memory_order_relaxed))
			r = atomic_exchange(&from->stealable[i], NULL);
	return r;
}

/* The PE that offered it may still be on its stack: for a few instructions, unless the kernel interrupts it there. */
static void await_stack(const struct vr_rank *r)
{
	for (int i = 1; !*(void *volatile const *)&r->context.sp; i++)
		if (i % 1000)
			__builtin_ia32_pause();
		else
			sched_yield();
}

int vr_stealable_take(void)
{
	struct vr_pe *from = vr_move_may_take() ? richest() : NULL;
	struct vr_rank *r = from ? take_one(from) : NULL;
	if (!r)
		return 0;
	uint64_t since = vr_ticks();
	await_stack(r);
	vr_move_taken(r, from, since);
	return 1;
}
