/* The slow ways of fair_lock.h. While a state has AMPI_LOCK_QUEUED, only who has `busy` changes it. */
#include "ampi/window/fair_lock.h"
#include "ampi/window/spin.h"

static uint64_t with_one_more(uint64_t state, enum ampi_lock_mode mode)
{
	return ((state & ~(uint64_t)AMPI_LOCK_MODE) | mode) + AMPI_LOCK_ONE;
}

static void append(struct ampi_fair_lock *l, struct ampi_lock_waiter *w)
{
	*(l->first ? &l->last->next : &l->first) = w;
	l->last = w;
}

void ampi_fair_lock_wait(struct ampi_fair_lock *l, enum ampi_lock_mode mode, int32_t who)
{
	struct ampi_lock_waiter me = {.context = vr_context, .mode = mode, .who = who};
	ampi_spin_lock(&l->busy);
	uint64_t state = atomic_fetch_or(&l->state, AMPI_LOCK_QUEUED);
	if (!l->first && ampi_lock_admits(state, mode)) {
		if (mode == AMPI_LOCK_ALONE)
			atomic_store_explicit(&l->holder, 1 + who, memory_order_relaxed);
		atomic_store(&l->state, with_one_more(state & ~(uint64_t)AMPI_LOCK_QUEUED, mode));
		ampi_spin_unlock(&l->busy);
		return;
	}
	append(l, &me);
	ampi_spin_unlock(&l->busy);
	vr_rank_block();
}

/* Take those off the queue that have their turn. */
static struct ampi_lock_waiter *admit(struct ampi_fair_lock *l, uint64_t *state)
{
	struct ampi_lock_waiter *list = NULL, **end = &list;
	while (l->first && ampi_lock_admits(*state, l->first->mode)) {
		struct ampi_lock_waiter *w = l->first;
		*state = with_one_more(*state, w->mode);
		if (w->mode == AMPI_LOCK_ALONE)
			atomic_store_explicit(&l->holder, 1 + w->who, memory_order_relaxed);
		l->first = w->next;
		w->next = NULL;
		*end = w;
		end = &w->next;
	}
	return list;
}

void ampi_fair_lock_pass_on(struct ampi_fair_lock *l)
{
	ampi_spin_lock(&l->busy);
	uint64_t state = (atomic_load(&l->state) & ~(uint64_t)AMPI_LOCK_QUEUED) - AMPI_LOCK_ONE;
	struct ampi_lock_waiter *w = admit(l, &state);
	atomic_store(&l->state, l->first ? state | AMPI_LOCK_QUEUED : state);
	ampi_spin_unlock(&l->busy);
	while (w) { /* each may be gone as soon as it is awake */
		struct ampi_lock_waiter *next = w->next;
		vr_rank_wake(w->context);
		w = next;
	}
}
