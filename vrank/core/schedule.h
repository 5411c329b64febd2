/* Scheduling of the ranks of one PE, schedule.c. */
#ifndef VRANK_SCHEDULE_H
#define VRANK_SCHEDULE_H

#include "vrank/core/job.h"

/* Why vr_pe_run came back. */
enum vr_reason { VR_BUDGET, VR_SERVE, VR_FAULT, VR_ALL_ENDED, VR_STOPPED, VR_DEADLOCK, VR_LEFT, VR_ABORTED, VR_MOVES, VR_FREEZES, VR_SAVES, VR_SAVES_IN_MEMORY };

/* PE stack. Run ready ranks until Go is needed; `resume` goes first when it is set. vr_left_by is the context it is about. */
enum vr_reason vr_pe_run(struct vr_context *resume);
extern struct vr_context *vr_left_by;

/* Rank stack: put this context to sleep until somebody makes it ready; switches. */
void vr_rank_block(void);

/* Rank stack, in a call of MPI. Run remote calls that wait; set by the MPI layer before ranks start. */
extern void (*vr_calls_run)(struct vr_rank *r);

/* The same for ever, whoever makes it ready. */
void vr_rank_rest(void) __attribute__((noreturn));

/* Rank stack: let the other ready ranks run first; switches when there are any. */
void vr_rank_yield(void);

/* Rank stack. The same outside of calls of MPI, where remote calls may not run. */
static inline void vr_rank_yield_outside(void)
{
	vr_context->wait.fn = -1;
	vr_rank_yield();
}

/* Any stack of the owner: a context that blocks becomes ready. */
void vr_rank_ready(struct vr_context *context);

/* How many ranks have gone from this worker to others. */
extern uint32_t vr_migration_epoch;

/* Any stack of the PE that has the chain: a context is about to sleep in it. For one that is elsewhere, `mixed` is set. */
void vr_waitlist_join(struct vr_waitlist *c, struct vr_context *context);

/* Any stack of the PE that has the chain: all of them become ready, and the chain empty. */
void vr_waitlist_ready(struct vr_waitlist *c);

/* Any stack, any worker: a context that blocks becomes ready, wherever it is. */
void vr_rank_wake(struct vr_context *context);

/* Rank stack: switch to the PE loop, which returns `reason` to Go. Comes back when Go resumes the rank. */
void vr_rank_leave(enum vr_reason reason);

/* Rank stack: sleep without holding the PE up. */
void vr_rank_sleep(int64_t nanoseconds);

/* Any stack of the owner: a context that sleeps so is ready at once. */
void vr_rank_rouse(struct vr_context *context);

/* Nanoseconds of CLOCK_MONOTONIC, without the time between a checkpoint and its restart: it goes on where it was. */
int64_t vr_now(void);
extern int64_t vr_clock; /* what that makes: vr_job.clock */

extern int vr_measure; /* account time to ranks at every switch */

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
