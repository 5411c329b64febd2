/* The run queue, the switch between ranks, and the C half of the PE loop. */
#include "core.h"

#include <errno.h>
#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "schedule.h"
#include "stepper.h"
#include "switch.h"
#include "tls.h"

struct vr_job *vr_job;
struct vr_pe *vr_pe;
VR_THREAD_LOCAL struct vr_rank *vr_current;
struct vr_rank *vr_context;
int vr_measure;
uint64_t vr_spin_ticks;

static void *pe_sp; /* the PE loop's stack pointer while a rank runs */
static enum vr_reason left_reason; /* why the last rank switched to the PE */
struct vr_rank *vr_left_by;
static struct vr_rank *hot; /* blocked last: the next message is likely to be for it */

#define SWITCHES_PER_RUN 512

int64_t vr_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

static void set_state(struct vr_rank *r, enum vr_state s)
{
	atomic_store_explicit(&r->state, s, memory_order_relaxed);
}

static struct vr_rank *queue_pop(void)
{
	struct vr_rank *r = vr_pe->head;
	if (r && !(vr_pe->head = r->run_next))
		vr_pe->tail = NULL;
	return r;
}

void vr_rank_ready(struct vr_rank *r)
{
	set_state(r, VR_READY);
	r->run_next = NULL;
	*(vr_pe->tail ? &vr_pe->tail->run_next : &vr_pe->head) = r;
	vr_pe->tail = r;
}

/* Touches none of them but the last one before: their states say BLOCKED until they run. */
void vr_rank_ready_chain(struct vr_rank *first, struct vr_rank *last)
{
	*(vr_pe->tail ? &vr_pe->tail->run_next : &vr_pe->head) = first;
	vr_pe->tail = last;
}

static void account(struct vr_rank *from, struct vr_rank *to)
{
	uint64_t now = vr_ticks();
	if (from)
		from->home->counters.user_ticks += now - from->resumed_at;
	if (to)
		to->resumed_at = now;
}

/* What the switch after this one will touch: its cache misses overlap with the rank that runs now. */
static inline void prefetch(const struct vr_rank *after)
{
	if (!after)
		return;
	__builtin_prefetch(after->run_next);
	__builtin_prefetch(&after->wait);
	for (int i = 0; i < 5; i++)
		__builtin_prefetch((char *)after->sp + i * VR_LINE);
	for (uint64_t i = 0; i < vr_tls_live && i < 8 * VR_LINE; i += VR_LINE)
		__builtin_prefetch(after->tls + vr_job->layout.tls_size - vr_tls_live + i, 1);
}

/* Every switch goes through here: from == NULL is the PE, to == NULL the PE. */
static inline void switch_to(struct vr_rank *from, struct vr_rank *to)
{
	if (vr_unlikely(vr_measure))
		account(from, to);
	if (to) {
		struct vr_rank *rank = to->home;
		if (rank != vr_loaded)
			vr_tls_load(rank);
		if (vr_unlikely(vr_directories))
			vr_directory_enter(rank);
		prefetch(vr_pe->head);
		set_state(to, VR_RUNNING);
		rank->switches++;
		vr_pe->switches++;
		vr_current = rank;
	} else {
		vr_current = NULL;
	}
	vr_context = to;
	vr_switch(from ? &from->sp : &pe_sp, to ? to->sp : pe_sp);
}

void vr_rank_leave(enum vr_reason reason)
{
	left_reason = reason;
	vr_left_by = vr_context;
	switch_to(vr_context, NULL);
}

static __attribute__((noinline, cold)) struct vr_rank *out_of_budget(void)
{
	if (vr_lent)
		vr_job_abort(2, "a function that the program gave to MPI_Op_create calls something that waits");
	return NULL;
}

/* The next rank to run on this stack's behalf; NULL sends control to the PE loop. */
static struct vr_rank *next_rank(void)
{
	if (vr_unlikely(--vr_pe->budget < 0))
		return out_of_budget();
	if (vr_unlikely(vr_pe_has_news()))
		vr_pe_poll();
	return queue_pop();
}

/* Whoever is next runs; that may be this rank itself, made ready while it looked for news. */
static inline void give_way(struct vr_rank *me)
{
	struct vr_rank *next = next_rank();
	if (next == me) {
		set_state(me, VR_RUNNING);
		return;
	}
	left_reason = VR_BUDGET;
	switch_to(me, next);
}

void vr_rank_block(void)
{
	struct vr_rank *me = vr_context;
	set_state(me, VR_BLOCKED);
	hot = me->home;
	give_way(me);
}

void vr_rank_rest(void)
{
	struct vr_rank *me = vr_context;
	for (;;) {
		set_state(me, VR_ENDED);
		give_way(me);
	}
}

void vr_rank_yield(void)
{
	struct vr_rank *me = vr_context;
	if (vr_unlikely(vr_pe_has_news()))
		vr_pe_poll();
	if ((!vr_pe->head && !vr_pe->timers && --vr_pe->budget >= 0) || vr_unlikely(vr_lent))
		return;
	vr_rank_ready(me);
	give_way(me);
}

void vr_rank_sleep(int64_t nanoseconds)
{
	struct vr_rank *me = vr_context, **at = &vr_pe->timers;
	if (vr_unlikely(vr_lent)) {
		nanosleep(&(struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000}, NULL);
		return;
	}
	me->wake_at = vr_now() + nanoseconds;
	while (*at && (*at)->wake_at <= me->wake_at)
		at = &(*at)->timer_next;
	me->timer_next = *at;
	*at = me;
	me->wait = (struct vr_wait){.fn = -1, .peer = VR_NOBODY};
	set_state(me, VR_SLEEPING);
	left_reason = VR_BUDGET;
	switch_to(me, NULL);
}

static int timers_fire(void)
{
	int64_t now;
	int fired = 0;
	if (vr_likely(!vr_pe->timers))
		return 0;
	for (now = vr_now(); vr_pe->timers && vr_pe->timers->wake_at <= now; fired = 1) {
		struct vr_rank *r = vr_pe->timers;
		vr_pe->timers = r->timer_next;
		vr_rank_ready(r);
	}
	return fired;
}

/* ---- idleness ---- */

static int is_stopped(void)
{
	return atomic_load_explicit(&vr_job->stop, memory_order_relaxed);
}

/* ---- who shares this core ---- */

/* Is another PE that is awake on the core this one runs on? Whom it waits for may then wait for the core. */
static int has_rival(void)
{
	int core = sched_getcpu();
	if (atomic_load_explicit(&vr_pe->core, memory_order_relaxed) != core)
		atomic_store_explicit(&vr_pe->core, core, memory_order_relaxed);
	for (int i = 0; i < vr_job->pes; i++) {
		struct vr_pe *pe = &vr_job->pe[i];
		if (pe != vr_pe && atomic_load_explicit(&pe->core, memory_order_relaxed) == core && !atomic_load_explicit(&pe->asleep, memory_order_relaxed))
			return 1;
	}
	return 0;
}

static int free_core(const cpu_set_t *allowed)
{
	cpu_set_t left = *allowed;
	for (int i = 0; i < vr_job->pes; i++)
		CPU_CLR(atomic_load_explicit(&vr_job->pe[i].core, memory_order_relaxed), &left);
	for (int core = 0; core < CPU_SETSIZE; core++)
		if (CPU_ISSET(core, &left))
			return core;
	return -1;
}

/* The kernel gathers threads that wake each other on one core. Move to one that no PE of this job uses, without a lasting
 * bond, but not more often than the kernel itself balances. 0 when that is not possible. */
static int move_away(void)
{
	static uint64_t not_before;
	cpu_set_t allowed, one;
	int core;
	if (vr_ticks() < not_before || sched_getaffinity(0, sizeof allowed, &allowed) || (core = free_core(&allowed)) < 0)
		return 0;
	not_before = vr_ticks() + vr_job->ticks_per_second / 200;
	CPU_ZERO(&one);
	CPU_SET(core, &one);
	if (sched_setaffinity(0, sizeof one, &one))
		return 0;
	atomic_store_explicit(&vr_pe->core, core, memory_order_relaxed);
	sched_setaffinity(0, sizeof allowed, &allowed);
	return 1;
}

/* Look for news for a short while. The inbox of the rank that blocked last is watched:
 * its message is seen without the detour over the wake list. */
static int spin(void)
{
	uint64_t since = vr_ticks(), spent = 0;
	vr_pe_watch(hot);
	do {
		for (int i = 0; i < 16; i++) {
			if (vr_pe_has_news() || vr_pe->head)
				return 1;
			__builtin_ia32_pause();
		}
		if (timers_fire() || is_stopped())
			return 1;
		if (spent > vr_spin_ticks / 32 && has_rival() && !move_away())
			sched_yield();
		spent = vr_ticks() - since;
	} while (spent < vr_spin_ticks);
	vr_pe_watch(NULL);
	return 0;
}

static int live_ranks(void)
{
	int n = 0;
	for (int i = 0; i < vr_job->pes; i++)
		n += vr_job->pe[i].live;
	return n;
}

/* Called by a PE that has just counted itself idle. When all PEs are and nothing is on its way, no rank can ever go on:
 * a PE counts itself out of idleness before it takes news, so news that are still being taken show in `activity`. */
static int is_deadlock(void)
{
	uint64_t before = atomic_load(&vr_job->activity);
	if (atomic_load(&vr_job->idle) != vr_job->pes)
		return 0;
	for (int i = 0; i < vr_job->pes; i++)
		if (atomic_load(&vr_job->pe[i].wake) || atomic_load(&vr_job->pe[i].inbox))
			return 0;
	if (atomic_load(&vr_job->activity) != before || atomic_load(&vr_job->idle) != vr_job->pes || !live_ranks())
		return 0;
	return !atomic_exchange(&vr_job->deadlock, 1);
}

static void futex_wait(_Atomic uint32_t *word, uint32_t value, int64_t nanoseconds)
{
	struct timespec t = {nanoseconds / 1000000000, nanoseconds % 1000000000};
	syscall(SYS_futex, word, FUTEX_WAIT, value, nanoseconds >= 0 ? &t : NULL, NULL, 0);
}

void vr_pe_ring(struct vr_pe *pe)
{
	if (vr_unlikely(atomic_load(&pe->asleep)) && atomic_exchange(&pe->asleep, 0))
		syscall(SYS_futex, &pe->asleep, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void sleep_until_rung(void)
{
	int64_t timeout = -1;
	if (vr_pe->timers && (timeout = vr_pe->timers->wake_at - vr_now()) < 0)
		return;
	atomic_store(&vr_pe->asleep, 1);
	if (!vr_pe_has_news() && !is_stopped())
		futex_wait(&vr_pe->asleep, 1, timeout);
	atomic_store(&vr_pe->asleep, 0);
}

/* Do threads of this worker's ranks live? */
static int has_threads(void)
{
	if (vr_likely(!vr_have_threads))
		return 0;
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next)
		if (atomic_load(&r->threads) && atomic_load_explicit(&r->state, memory_order_relaxed) != VR_ENDED)
			return 1;
	return 0;
}

/* Nothing is ready: spin, then sleep until there is something. 1 when the job is found to be deadlocked. */
static int idle(void)
{
	int deadlock = 0;
	uint64_t since = vr_ticks();
	if (!spin()) {
		int counted = !vr_pe->timers && !has_threads(); /* a sleeping rank will go on by itself, threads may call any time */
		if (counted) {
			atomic_fetch_add(&vr_job->idle, 1);
			deadlock = is_deadlock();
		}
		if (!deadlock)
			sleep_until_rung();
		if (counted) {
			atomic_fetch_add(&vr_job->activity, 1);
			atomic_fetch_sub(&vr_job->idle, 1);
		}
	}
	vr_pe->idle_ticks += vr_ticks() - since;
	return deadlock;
}

/* ---- the PE loop ---- */

/* The last rank of this PE has ended: it is idle for good, and others may wait for what will never come. */
static enum vr_reason all_ended(void)
{
	atomic_fetch_add(&vr_job->idle, 1);
	return is_deadlock() ? VR_DEADLOCK : VR_ALL_ENDED;
}

static void run(struct vr_rank *r)
{
	left_reason = VR_BUDGET;
	vr_left_by = NULL;
	switch_to(NULL, r);
}

/* A rank whose stack the steppers use that the PE's own stack will not do for. They may leave to Go and come back. */
static struct {
	struct vr_rank *rank;
	void *sp; /* where the rank itself sleeps */
	uint32_t state;
} host;

static void run_steppers_as_host(void *arg)
{
	struct vr_rank *r = host.rank;
	void *never;
	(void)arg;
	vr_steppers_run();
	if (atomic_load_explicit(&r->state, memory_order_relaxed) == VR_RUNNING)
		set_state(r, host.state);
	left_reason = VR_BUDGET;
	vr_current = NULL;
	vr_context = NULL;
	r->sp = host.sp;
	vr_switch(&never, pe_sp);
}

static struct vr_rank *make_host(void)
{
	struct vr_rank *r = vr_steppers.head->rank;
	host.rank = r;
	host.sp = r->sp;
	host.state = atomic_load_explicit(&r->state, memory_order_relaxed);
	r->sp = vr_borrow_prepare(r, run_steppers_as_host, NULL);
	return r;
}

static struct vr_rank *next_to_run(void)
{
	timers_fire();
	vr_pe_poll();
	return vr_unlikely(vr_steppers.head && !vr_steppers.running) ? make_host() : queue_pop();
}

enum vr_reason vr_pe_run(struct vr_rank *resume)
{
	int rounds = 64;
	vr_pe->budget = vr_lent ? -1 : SWITCHES_PER_RUN;
	while (!is_stopped()) {
		struct vr_rank *r = resume;
		resume = NULL;
		if (!r)
			r = next_to_run();
		if (r) {
			run(r);
			if (left_reason != VR_BUDGET)
				return left_reason;
		} else if (!vr_pe->live) {
			return all_ended();
		} else if (idle()) {
			return VR_DEADLOCK;
		}
		if (vr_pe->budget < 0) {
			if (--rounds == 0)
				return VR_BUDGET;
			vr_pe->budget = SWITCHES_PER_RUN;
		}
	}
	return VR_STOPPED;
}

void *vr_fault_escape(struct vr_rank *r)
{
	left_reason = VR_FAULT;
	vr_left_by = r;
	set_state(r, VR_FAULTED);
	vr_current = NULL;
	vr_context = NULL;
	return pe_sp;
}
