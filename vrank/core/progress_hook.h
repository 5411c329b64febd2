/* Operations that go on by themselves: while their rank sleeps or runs, on whatever stack of its worker completes what
 * they wait for. A collective operation in the background is one (ampi/coll/sched.h).
 *
 * A hook starts requests with VR_RQ_HOOK set and itself in `extra`. When such a request is complete, the hook is called,
 * in the middle of somebody's send or receive: it only notes that, frees the request, and says vr_progress_hook_ready when there is
 * something to do. Then `run` is called, soon, before the worker does anything else, but never inside of another run: a
 * chain of operations that complete each other needs no depth of stack. */
#ifndef VRANK_PROGRESS_HOOK_H
#define VRANK_PROGRESS_HOOK_H

#include "vrank/core/rank.h"

struct vr_progress_hook {
	struct vr_hook hook; /* of its requests */
	struct vr_progress_hook *next; /* of those that are ready */
	void (*run)(struct vr_progress_hook *s);
	struct vr_rank *rank;
	int32_t ready; /* is in the list */
	int32_t borrows; /* run may call vr_rank_callback, which the PE's own stack cannot */
};

/* Any stack of the owner of s->rank. Have s->run called. */
void vr_progress_hook_ready(struct vr_progress_hook *s);

/* Progress hooks of this worker that are ready, and how many callers want them to wait. */
extern struct vr_progress_hooks {
	struct vr_progress_hook *head, *tail;
	int held, running;
} vr_progress_hooks;

/* Any stack. Call `run` of all that are ready, unless that is going on or held up. */
void vr_progress_hooks_run(void);

/* Any stack. Between the two nothing runs: messages taken from an inbox must all be delivered before new ones are. */
static inline void vr_progress_hooks_hold(void)
{
	vr_progress_hooks.held++;
}

static inline void vr_progress_hooks_release(void)
{
	if (!--vr_progress_hooks.held && vr_unlikely(vr_progress_hooks.head != NULL))
		vr_progress_hooks_run();
}

/* A rank's stack, or that of the PE for fn that makes no calls to the runtime. Run fn(arg) as rank r, which this worker owns: with
 * its thread-local variables and on its stack, below what it has there. fn must not wait: that ends the job. */
void vr_rank_callback(struct vr_rank *r, void (*fn)(void *arg), void *arg);

/* The same on the stack of one context of the rank. */
void vr_context_callback(struct vr_context *context, void (*fn)(void *arg), void *arg);

#endif
