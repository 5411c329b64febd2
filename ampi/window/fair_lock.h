/* A lock that several share in one of two modes, and that all get in the order in which they asked. Who waits sleeps, and leaves the PE to others. It
 * lies in memory that workers share. Rank stack. */
#ifndef AMPI_FAIR_LOCK_H
#define AMPI_FAIR_LOCK_H

#include "vrank/core/schedule.h"

enum ampi_lock_mode { AMPI_LOCK_SHARED, AMPI_LOCK_OTHER, AMPI_LOCK_ALONE };

/* Who sleeps until it has the lock: on its stack. */
struct ampi_lock_waiter {
	struct ampi_lock_waiter *next;
	struct vr_context *context;
	enum ampi_lock_mode mode;
	int32_t who;
};

struct ampi_fair_lock {
	_Atomic uint64_t state; /* holders * AMPI_LOCK_ONE, their mode, AMPI_LOCK_QUEUED */
	_Atomic uint32_t busy; /* somebody looks at what is below, or changes a state with AMPI_LOCK_QUEUED */
	_Atomic int32_t holder; /* 1 + the rank that has it alone, or 0: reports look here */
	struct ampi_lock_waiter *first, *last;
};
#define AMPI_LOCK_MODE 3u
#define AMPI_LOCK_QUEUED 4u
#define AMPI_LOCK_ONE 8u

/* The slow ways. */
void ampi_fair_lock_wait(struct ampi_fair_lock *l, enum ampi_lock_mode mode, int32_t who);
void ampi_fair_lock_pass_on(struct ampi_fair_lock *l);

/* May another one come in beside those that are there? */
static inline int ampi_lock_admits(uint64_t state, enum ampi_lock_mode mode)
{
	return state < AMPI_LOCK_ONE || (mode != AMPI_LOCK_ALONE && (state & AMPI_LOCK_MODE) == mode);
}

/* `who` is the rank, for reports; what else they say is in vr_context->wait. Switches if it has to wait. */
static inline void ampi_fair_lock_take(struct ampi_fair_lock *l, enum ampi_lock_mode mode, int32_t who)
{
	uint64_t state = atomic_load_explicit(&l->state, memory_order_relaxed);
	while (vr_likely(!(state & AMPI_LOCK_QUEUED) && ampi_lock_admits(state, mode)))
		if (atomic_compare_exchange_weak(&l->state, &state, ((state & ~(uint64_t)AMPI_LOCK_MODE) | mode) + AMPI_LOCK_ONE)) {
			if (mode == AMPI_LOCK_ALONE)
				atomic_store_explicit(&l->holder, 1 + who, memory_order_relaxed);
			return;
		}
	ampi_fair_lock_wait(l, mode, who);
}

static inline void ampi_fair_lock_give(struct ampi_fair_lock *l)
{
	uint64_t state = atomic_load_explicit(&l->state, memory_order_relaxed);
	if ((state & AMPI_LOCK_MODE) == AMPI_LOCK_ALONE)
		atomic_store_explicit(&l->holder, 0, memory_order_relaxed);
	while (vr_likely(!(state & AMPI_LOCK_QUEUED)))
		if (atomic_compare_exchange_weak(&l->state, &state, state - AMPI_LOCK_ONE))
			return;
	ampi_fair_lock_pass_on(l);
}

#endif
