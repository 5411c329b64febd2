/* Calls of threads that ranks started, carried out by the PE: a rank's *fibers*.
 *
 * The core is for one thread, so a thread of a rank makes no call itself: it hands it to the PE that has its rank and sleeps
 * until the PE has the result. There the call runs on a fiber: a stack in the rank's slice with a context of its own, since
 * the rank's first thread, and any number of others, may sleep in calls of their own meanwhile. vr_current is the rank then, and vr_context the
 * fiber's. */
#ifndef VRANK_FIBER_H
#define VRANK_FIBER_H

#include "vrank/core/job.h"

/* A call of a thread, on its stack. */
struct vr_delegated {
	struct vr_work work;
	struct vr_rank *rank;
	struct vr_thread *thread;
	void (*fn)(void *arg);
	void *arg;
	_Atomic uint32_t done; /* futex */
};

struct vr_fiber {
	struct vr_context context;
	struct vr_fiber *next; /* of all of the rank */
	struct vr_fiber *idle_next;
	struct vr_delegated *call;
};

/* A thread that a rank started: have the PE run fn(arg) as that rank, and wait for it. What fn calls may switch. */
void vr_thread_delegate(void (*fn)(void *arg), void *arg);

/* PE stack, or rank stack: have fn(arg) run as rank `home` on a stack of its own, soon; d is in use until then. 0, or -1 without room. */
int vr_fiber_start(struct vr_rank *home, struct vr_delegated *d, void (*fn)(void *arg), void *arg);

/* Any thread of a rank, any stack of it: the number of the thread on whose behalf this runs; 0 for the rank's first one. */
uint64_t vr_calling_thread(void);

/* Rank stack: this context is the only one of its rank that will ever go on. */
void vr_fibers_end(void);

#endif
