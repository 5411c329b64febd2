/* Freezing a job: all PEs stop between two runs of ranks, and stand still until the memory of the job has been copied.
 *
 * Whoever asks tells every PE by work in its inbox. A PE that has been told lets no rank leave any more; when all have been told and no
 * rank is on its way, each PE comes to rest as soon as its ranks are at rest, and its loop returns VR_FREEZES to Go. There is a barrier
 * of PEs (vr_freeze_barrier) as often as they have to wait for each other. A rank that computes for long is interrupted: interrupt.h. */
#ifndef VRANK_FREEZE_H
#define VRANK_FREEZE_H

#include "vrank/core/job.h"

/* Any thread of any worker: freeze the job, and have it end so if `halts` is set. 0 when that is under way already. */
int vr_freeze_ask(int halts);

/* The PE, when all ranks of the job have ended: it may leave for good, and from then on nobody comes to rest, who would wait for it for ever.
 * 0 when all have been told before that: then it comes to rest first, as the others do. */
int vr_freeze_forgo(void);

static inline int vr_freeze_is_wanted(void)
{
	return atomic_load_explicit(&vr_job->freeze.wanted, memory_order_relaxed);
}

/* Rank stack: let the PE come to rest, and come back when it has been frozen, or restarted from there. Switches. */
void vr_freeze_rest(void);

/* Rank stack: have the job saved, and come back when it has been frozen, or restarted from there; or when some rank cannot be saved, which the
 * job's manager explains. Switches. Only where vr_job->saves has this place. */
void vr_freeze_and_wait(enum vr_saves place);

/* PE stack, in Go: nothing of the job is in this process's own memory from here on. */
void vr_freeze_enter(void);

/* PE stack: wait for all other PEs. 0, or -1 when the job is stopped meanwhile. */
int vr_freeze_barrier(void);

/* Threads that are no PE enclose with these what they write to the job's memory: the first one waits until no freeze is under way. */
void vr_outside_enter(void);
void vr_outside_leave(void);

/* PE stack, after a barrier: wait until nobody is in between. */
void vr_outside_await(void);

/* PE stack, after that: this PE begins to copy; and, after another barrier, all is copied. Should a worker die in between, the region is whole and its copy is
 * not; before and after, the copy is whole. */
void vr_freeze_copies(void);
void vr_freeze_copied(void);

/* PE stack, instead: the region is all that goes on. */
void vr_freeze_halt(void);

/* PE stack, after the last barrier but one: this PE is ready to go on. When all have called it ranks may move again. */
void vr_freeze_leave(void);

#endif
