/* A rank whose first thread sleeps in the kernel for a thread of its own (a mutex, a barrier, a parallel region of OpenMP) keeps
 * the PE, which has other ranks to run, and that other thread's calls to carry out. It is nudged out of there. So is a rank that
 * computes while the job is to freeze. */
#ifndef VRANK_NUDGE_H
#define VRANK_NUDGE_H

#include "vrank/core/core.h"

/* Once: -1 when this processor cannot save all of its registers. */
int vr_nudge_prepare(void);

/* Has this processor all registers that were saved elsewhere: vr_job.registers? Any thread. */
int vr_nudge_can_restore(uint64_t components);

/* PE thread: be ready to nudge. Does so once for the worker. */
void vr_nudge_setup(void);

/* There is one reason more to watch the thread of a PE, or one less: a thread of a rank, for which the first one may wait; a freeze. Any
 * thread, any worker. */
void vr_nudge_watch(struct vr_pe *pe);
void vr_nudge_unwatch(struct vr_pe *pe);

/* A thread that a rank started: it begins to wait for the PE; and it has what it wanted. */
void vr_nudge_begin(void);
void vr_nudge_end(void);

/* nudge_amd64.S. The place in a rank's code that the signal handler makes the thread go on at: calls vr_nudge_rest with
 * everything saved, then goes back to the address on the stack. */
extern void vr_nudge_enter(void);

/* The signal that nudges: not for ranks to have. */
#define VR_NUDGE_SIGNAL (SIGRTMAX - 3)

#endif
