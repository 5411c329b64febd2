/* What only the core's own files need of the scheduler. */
#ifndef VRANK_SCHEDULE_H
#define VRANK_SCHEDULE_H

#include "core.h"

extern int vr_measure; /* account time to ranks at every switch */
extern uint64_t vr_spin_ticks; /* how long an idle PE looks for news before it sleeps */

/* Some rank of this worker has started a thread. */
extern int vr_have_threads;

/* Some rank has called chdir: then each switch goes to the rank's directory. */
extern int vr_directories;
void vr_directory_enter(const struct vr_rank *r);

/* So many ranks are lent to functions that must not wait: see borrow.c. Then the PE's budget is negative, which leads who
 * would switch into the slow path. */
extern int vr_lent;
void *vr_borrow_prepare(struct vr_rank *r, void (*fn)(void *), void *arg);

/* Signal handler on the PE thread: give rank r up. Returns the stack pointer with which the PE loop goes on. */
void *vr_fault_escape(struct vr_rank *r);

#endif
