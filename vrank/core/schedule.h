/* What only the core's own files need of the scheduler. */
#ifndef VRANK_SCHEDULE_H
#define VRANK_SCHEDULE_H

#include "vrank/core/core.h"

extern int vr_measure; /* account time to ranks at every switch */
extern uint64_t vr_spin_ticks; /* how long an idle PE looks for news before it sleeps */

/* PE stack: nothing is ready. Spin, then sleep until there is something; `hot` blocked last, the next message is likely to be for it. 1 when
 * the job is found to be deadlocked. */
int vr_idle(struct vr_rank *hot);

/* Any stack of the PE: ranks whose sleep is over become ready. 1 when there were any. */
int vr_timers_fire(void);

static inline int vr_job_is_stopped(void)
{
	return atomic_load_explicit(&vr_job->stop, memory_order_relaxed);
}

/* Have the ranks of all PEs? */
static inline int vr_job_has_ended(void)
{
	return !atomic_load_explicit(&vr_job->live, memory_order_relaxed);
}

/* So many ranks are lent to functions that must not wait: see callback.c. Then the PE's budget is negative, which leads who
 * would switch into the slow path. */
extern int vr_in_callbacks;
void *vr_callback_prepare(struct vr_context *context, void (*fn)(void *), void *arg);

/* A rank has ended; PEs sleep no longer when it was the last one. */
void vr_job_one_less(void);

/* PE stack: forget whatever is remembered of ranks in this process. */
void vr_schedule_rest(void);

/* PE stack: take a context out of the scheduler's lists. What it was in tells what to put it into again. */
enum vr_place { VR_IN_NONE, VR_IN_QUEUE, VR_IN_TIMERS };
void vr_rank_next(struct vr_context *context); /* it becomes ready, and the first in the queue */
enum vr_place vr_schedule_remove(struct vr_context *context);
void vr_schedule_insert(struct vr_context *context, enum vr_place place);

/* The PE, or who restarts a job: a context becomes the last one of a run queue; one that sleeps is put among those that do. */
static inline void vr_queue_append(struct vr_pe *pe, struct vr_context *context)
{
	context->run_next = NULL;
	*(pe->tail ? &pe->tail->run_next : &pe->head) = context;
	pe->tail = context;
}

static inline void vr_timers_insert(struct vr_pe *pe, struct vr_context *context)
{
	struct vr_context **at = &pe->timers;
	while (*at && (*at)->wake_at <= context->wake_at)
		at = &(*at)->timer_next;
	context->timer_next = *at;
	*at = context;
}

/* Signal handler on the PE thread: give up what runs there, of rank r. Returns the stack pointer with which the PE loop goes on. */
void *vr_fault_escape(struct vr_rank *r);

#endif
