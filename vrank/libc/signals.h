/* Signals of ranks. A worker is one process, so the kernel's signals are divided here: each rank has actions of its own, and
 * what has arrived for it and was not handled yet.
 *
 * The handlers that the kernel calls (fault.c) only note what has come, and for whom. A rank's handler runs on the rank's own
 * stack: at once, as if the code that was interrupted had called it, when the rank runs and is in its program or its
 * libraries; soon, when it is in the runtime just now; instead of sleeping on, when it waits for something outside of MPI;
 * and on a stack of its own (fiber.h) when it waits for a message. */
#ifndef VRANK_SIGNALS_H
#define VRANK_SIGNALS_H

#include <signal.h>
#include <time.h>
#include <ucontext.h>

#include "vrank/core/fiber.h"

#define VR_SIGNALS 65

/* Has the PE thread look after signals: of timers, and of threads that are not the PE's. Not for ranks to have. */
#define VR_KICK_SIGNAL (SIGRTMAX - 4)

/* A timer of the kernel that kicks for a rank. Its memory stays, since a kick may be under way when it is deleted. */
struct vr_timer {
	struct vr_timer *next;
	struct vr_rank *rank;
	timer_t kernel;
	int32_t exists, used; /* the kernel has it; a program has it */
	int32_t signal; /* 0: none */
	int32_t code; /* of siginfo */
	_Atomic int32_t armed; /* 1 once, 2 again and again */
	union sigval value;
	int32_t fd; /* of one that starts threads, else -1 */
	void (*function)(union sigval);
	clockid_t clock; /* of the kernel's timer */
	int32_t is_dated; /* it was set to a time of day */
	int64_t due, interval; /* nanoseconds: when it goes off next, by that clock or vr_now(); in a rank under way, processor time that is left */
	int32_t number; /* from 1, among the rank's that timer_create made */
	int32_t overrun; /* of what was delivered last */
};

struct vr_signals {
	struct sigaction actions[VR_SIGNALS];
	siginfo_t info[VR_SIGNALS]; /* of what is pending */
	_Atomic uint64_t pending; /* bit n - 1 is signal n */
	uint64_t wanted; /* that it waits for with sigwait, or blocks */
	uint64_t handled, interrupts; /* handlers that ran; those of them that interrupt calls */
	int32_t waits; /* sleeps where a handler may interrupt it */
	int32_t fiber; /* one runs handlers, or is about to */
	sigset_t mask; /* of its thread, while others run there */
	int32_t has_mask;
	uint64_t handlers; /* functions that may be called whatever the rank does: not those of faults */
	int32_t masks; /* its part of vr_masks */
	int32_t blocks; /* it has blocked signals once */
	stack_t stack;
	ucontext_t context; /* of what was interrupted last */
	struct vr_delegated call;
	struct vr_timer itimers[3], *timers;
};

/* Of a rank; NULL when its slice is full. */
struct vr_signals *vr_signals_of(struct vr_rank *r);

/* PE thread, before ranks run; in a child again. */
const char *vr_signals_setup(void);

/* Any thread, in the kernel's handler: note a signal and do what can be done at once. 0 when no rank wants it. */
int vr_signal_arrive(int signal, siginfo_t *info, ucontext_t *context);

/* PE thread, in the kernel's handler: a rank has what a timer or the program itself has sent. */
void vr_signal_post(struct vr_rank *r, int signal, const siginfo_t *info);

/* Rank stack: run the handlers of what is pending and not blocked. */
void vr_signals_run(void);

/* Rank stack: the lowest signal of `set` that is pending, which it is no more then; 0 when there is none. The kernel's handlers, which add to
 * what is known of a pending signal, stay away meanwhile: else what has come in between counts twice, or not at all. */
int vr_signal_take(struct vr_signals *s, uint64_t set, int even_blocked, siginfo_t *info);

/* PE stack: ranks that sleep and have something pending go on with that. */
void vr_signals_poll(void);

/* PE stack: has a rank of this worker a handler that something outside of the job may cause to run? */
int vr_signals_may_come(void);

/* Rank stack, when it has set or lost a handler. When it ends. */
void vr_handlers_note(struct vr_signals *s, int signal);
void vr_signals_end(struct vr_rank *r);

/* Rank stack: from vr_mask_begin on this one may differ from others in the signals that it blocks. */
void vr_mask_begin(void);
void vr_mask_end(void);
void vr_mask_enter(struct vr_rank *r);

/* PE stack: a rank goes to another worker with its mask and its timers. NULL when it has come, or why its timers cannot be made here. */
void vr_signals_leave(struct vr_rank *r);
const char *vr_signals_adopt(struct vr_rank *r);

/* Leave out what ranks may not block. */
void vr_mask_strip(sigset_t *set);

/* Rank stack: its timers stop. In a child: they do not exist. */
void vr_timers_end(struct vr_rank *r);
void vr_timers_forget(struct vr_rank *r);

/* PE stack: its timers stop here, and go on there as if they had not. 0, or an errno. */
void vr_timers_leave(struct vr_rank *r);
int vr_timers_adopt(struct vr_rank *r);

/* In the kernel's handler: a timer has gone off. Rank stack: the program gets to know. */
void vr_timer_fired(struct vr_timer *t, const siginfo_t *info);
void vr_timer_delivered(struct vr_signals *s, const siginfo_t *info);

/* A timer of the kernel on this clock that kicks the PE thread with `value`. 0, or an errno. */
int vr_kick_timer(clockid_t clock, void *value, timer_t *out);

/* signal_amd64.S: see preempt_amd64.S; and calling a handler on another stack. */
extern void vr_signal_enter(void);
void vr_signal_call_on(void *top, void *handler, int signal, void *info, void *context);

/* Call the handler that rank r set for a signal, if it did: 1. */
int vr_signal_deliver(struct vr_rank *r, int signal, void *info, void *context);

#endif
