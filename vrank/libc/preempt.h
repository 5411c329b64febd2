/* A rank whose first thread sleeps in the kernel for a thread of its own (a mutex, a barrier, a parallel region of OpenMP) keeps
 * the PE, which has other ranks to run, and that other thread's calls to carry out. It is preempted out of there. So is a rank that
 * computes while the job is to freeze. */
#ifndef VRANK_PREEMPT_H
#define VRANK_PREEMPT_H

#include "vrank/core/job.h"

/* Once: -1 when this processor cannot save all of its registers. */
int vr_preempt_prepare(void);

/* Has this processor all registers that were saved elsewhere: vr_job.registers? Any thread. */
int vr_preempt_can_restore(uint64_t components);

/* PE thread: be ready to preempt. Does so once for the worker. */
void vr_preempt_setup(void);

/* There is one reason more to watch the thread of a PE, or one less: a thread of a rank, for which the first one may wait; a freeze. Any
 * thread, any worker. */
void vr_preempt_watch(struct vr_pe *pe);
void vr_preempt_unwatch(struct vr_pe *pe);

/* Any worker: a window is open from now on, and no longer. Meanwhile a rank that computes leaves its PE to others after a time slice. */
void vr_preempt_window_opens(void);
void vr_preempt_window_closes(void);

/* A thread that a rank started: it begins to wait for the PE; and it has what it wanted. */
void vr_preempt_begin(void);
void vr_preempt_end(void);

/* preempt_amd64.S. The place in a rank's code that the signal handler makes the thread go on at: calls vr_preempt_rest with
 * everything saved, then goes back to the address on the stack. */
extern void vr_preempt_enter(void);

/* The signal that preempts: not for ranks to have. */
#define VR_PREEMPT_SIGNAL (SIGRTMAX - 3)

#endif
