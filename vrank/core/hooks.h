/* What the core, and libc of fault, call of the rooms above them, and what those tell the core. They include none of those headers.
 *
 * A hook that would cost something at every switch or message has a word beside it that says whether it is wanted. */
#ifndef VRANK_HOOKS_H
#define VRANK_HOOKS_H

#include "isomalloc/heap.h"
#include "vrank/core/job.h"

struct vr_core_hooks {
	/* p2p. The owner of `to`: a node, or a fastbox, that lay in its inbox has arrived. */
	void (*message)(struct vr_rank *to, struct vr_node *n);
	void (*fastbox)(struct vr_rank *to, const struct vr_fastbox *f);

	/* libc. Once, by the worker that lays the job out, before others see it. */
	void (*job_made)(struct vr_job *job);
	/* PE stack, or a rank's: rank r is about to run; wanted while vr_directories, vr_masks. */
	void (*enter_directory)(const struct vr_rank *r);
	void (*enter_mask)(struct vr_rank *r);
	/* The owner: does [p, p+n) touch a file that the rank has mapped? */
	int (*is_mapped_file)(const struct vr_rank *r, const void *p, size_t n);
	/* The owner: what of [lo, hi) has another protection than reading and writing, or is a file: the first part of it. Its protection, or -1. */
	int (*protected_part)(const struct vr_rank *r, uint64_t lo, uint64_t hi, struct iso_range *part);
	/* PE stack: ranks that sleep and have a signal pending go on with that; wanted while vr_signals_news. */
	void (*poll_signals)(void);
	/* PE stack: has a rank of this worker a handler that something outside of the job may cause to run? */
	int (*signals_may_come)(void);
	/* In a child process: it wants something that only the runtime does. Does not return. */
	void (*refuse_child)(const char *what);

	/* fault. Is this a signal of the faults that ranks may cause? */
	int (*is_fault_signal)(int signal);
	/* The worker's handler shall see this signal from now on. */
	void (*claim_signal)(int signal);

	/* freeze. The PE, when all ranks of the job have ended: see vr_freeze_forgo. */
	int (*forgo_freeze)(void);

	/* libc, preempt.h. A thread that a rank started: it begins to wait for the PE, and it has what it wanted. */
	void (*thread_waits)(void);
	void (*thread_goes_on)(void);

	/* migrate. PE stack, nothing to run: 1 when a rank has come; wanted while vr_steal_policy.is_on, as the next. */
	int (*steal)(void);
	/* Does any other PE offer a rank? */
	int (*others_offer)(void);
	/* Any stack, in a switch while time is accounted: see stealable.h; wanted while vr_stealable_on. */
	void (*stealable_turn)(struct vr_context *from, struct vr_context *to);
	/* PE stack: ranks that were offered and that nobody has taken become ready; 1 when there were any. */
	int (*stealable_retake)(void);
};

/* The rooms' functions: vrank/hooks.c. */
extern const struct vr_core_hooks vr_core_hooks;

/* ---- words that other rooms set ---- */

extern int vr_directories; /* some rank has called chdir: each switch goes to the rank's directory */
extern int vr_masks; /* ranks differ in the signals that they block: a switch changes the thread's mask */
extern _Atomic int vr_signals_news; /* there may be something to poll */
extern _Atomic int vr_timers_armed; /* timers that ranks have and that will go off */
extern int vr_have_threads; /* some rank of this worker has started a thread */

/* How to steal: the same in all workers. */
struct vr_steal_policy {
	int32_t is_on;
	int32_t half; /* take half of what is ready, else one rank */
	uint64_t cost; /* ticks: less work than that is left alone */
};
extern struct vr_steal_policy vr_steal_policy;
extern int vr_stealable_on; /* this worker may offer ranks: it steals, and their images need nothing done when they leave */

/* An idle PE looks at the others so often, in nanoseconds. */
#define VR_STEAL_LOOK 1000000

/* ---- children ---- */

/* This process is the child of a fork() that a rank called: its memory is its own. */
extern int vr_forked;

/* The thread runs the child of a vfork(): in the memory of the rank, which sleeps meanwhile. */
extern VR_THREAD_LOCAL int vr_vforked;

static inline int vr_is_child(void)
{
	return vr_unlikely(vr_forked | vr_vforked);
}

#endif
