/* The run queue, the switch between ranks, and the C half of the PE loop. */
#include "vrank/core/schedule.h"

#include <time.h>

#include "vrank/core/abort.h"
#include "vrank/core/callback.h"
#include "vrank/core/hooks.h"
#include "vrank/core/idle.h"
#include "vrank/core/inbox.h"
#include "vrank/core/isolate.h"
#include "vrank/core/park.h"
#include "vrank/core/progress_hook.h"
#include "vrank/core/switch.h"
#include "vrank/core/timeline.h"
#include "vrank/core/tls.h"

VR_THREAD_LOCAL struct vr_rank *vr_current;
struct vr_context *vr_context;
int vr_measure;
uint32_t vr_migration_epoch;
int64_t vr_clock;

static void *pe_sp; /* the PE loop's stack pointer while a rank runs */
static enum vr_reason left_reason; /* why the last rank switched to the PE */
struct vr_context *vr_left_by;
static struct vr_rank *hot; /* blocked last: the next message is likely to be for it */

#define SWITCHES_PER_RUN 512

int64_t vr_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec + vr_clock;
}

static void set_state(struct vr_context *c, enum vr_state s)
{
	atomic_store_explicit(&c->state, s, memory_order_relaxed);
}

static struct vr_context *queue_pop(void)
{
	struct vr_context *r = vr_pe->head;
	if (r && !(vr_pe->head = r->run_next))
		vr_pe->tail = NULL;
	return r;
}

void vr_rank_ready(struct vr_context *r)
{
	set_state(r, VR_READY);
	vr_queue_append(vr_pe, r);
}

void vr_rank_next(struct vr_context *r)
{
	set_state(r, VR_READY);
	r->run_next = vr_pe->head;
	vr_pe->head = r;
	if (!vr_pe->tail)
		vr_pe->tail = r;
}

void vr_rank_wake(struct vr_context *context)
{
	if (vr_is_mine(context->rank)) {
		vr_rank_ready(context);
		return;
	}
	context->wake.kind = VR_NODE_WAKE;
	vr_inbox_push(context->rank, &context->wake);
}

void vr_waitlist_join(struct vr_waitlist *c, struct vr_context *context)
{
	context->run_next = NULL;
	if (c->first) {
		c->last->run_next = context;
	} else {
		c->first = context;
		c->migration_epoch = vr_migration_epoch;
	}
	c->last = context;
}

static void ready_mixed(struct vr_context *context)
{
	while (context) {
		struct vr_context *next = context->run_next;
		vr_rank_wake(context);
		context = next;
	}
}

/* Touches none of them but the last one before: their states say BLOCKED until they run. */
void vr_waitlist_ready(struct vr_waitlist *c)
{
	struct vr_waitlist all = *c;
	*c = (struct vr_waitlist){0};
	if (!all.first)
		return;
	if (vr_unlikely(all.mixed || all.migration_epoch != vr_migration_epoch)) {
		ready_mixed(all.first);
		return;
	}
	*(vr_pe->tail ? &vr_pe->tail->run_next : &vr_pe->head) = all.first;
	vr_pe->tail = all.last;
}

static void account(struct vr_context *from, struct vr_context *to)
{
	uint64_t now = vr_ticks();
	if (from) {
		from->rank->counters.user_ticks += now - from->resumed_at;
		vr_pe->busy_ticks += now - from->resumed_at;
	}
	if (vr_unlikely(vr_timeline_on))
		vr_timeline_switch(from, to, now);
	if (!to)
		return;
	to->resumed_at = now;
	if (vr_unlikely(vr_stealable_on))
		vr_core_hooks.stealable_turn(from, to);
}

/* What the switch after this one will touch: its cache misses overlap with the rank that runs now. */
static inline void prefetch(const struct vr_context *after)
{
	if (!after)
		return;
	__builtin_prefetch(after->run_next);
	__builtin_prefetch(&after->wait);
	for (int i = 0; i < 5; i++)
		__builtin_prefetch((char *)after->sp + i * VR_LINE);
	for (uint64_t i = 0; i < vr_tls_live && i < 8 * VR_LINE; i += VR_LINE)
		__builtin_prefetch((char *)after->rank - vr_tls_live + i, 1);
}

/* Every switch goes through here: from == NULL is the PE, to == NULL the PE. */
static inline void switch_to(struct vr_context *from, struct vr_context *to)
{
	if (vr_unlikely(vr_measure))
		account(from, to);
	if (to) {
		struct vr_rank *rank = to->rank;
		if (rank != vr_loaded)
			vr_tls_load(rank);
		if (vr_unlikely(vr_directories))
			vr_core_hooks.enter_directory(rank);
		if (vr_unlikely(vr_masks))
			vr_core_hooks.enter_mask(rank);
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
	if (vr_is_child())
		vr_core_hooks.refuse_child("something of the runtime (MPI, dlopen)");
	int opened = vr_isolate_open();
	left_reason = reason;
	vr_left_by = vr_context;
	switch_to(vr_context, NULL);
	vr_isolate_restore(opened);
}

static __attribute__((noinline, cold)) struct vr_context *out_of_budget(void)
{
	if (vr_in_callbacks)
		vr_job_abort(2, "a function that the program gave to MPI_Op_create or AMPI_Rpc calls something that waits");
	return NULL;
}

static int is_at_rest(void)
{
	return !vr_in_callbacks && !vr_progress_hooks.head;
}

/* Ranks wait to be sent or taken in, and all ranks are at rest. */
static int has_moves(void)
{
	return vr_unlikely((vr_pe->orders.first && !vr_pe->is_told) || vr_pe->arrivals.first) && is_at_rest();
}

static int has_to_freeze(void)
{
	return vr_unlikely(vr_freeze_is_due()) && is_at_rest();
}

/* The next rank to run on this stack's behalf; NULL sends control to the PE loop. */
static struct vr_context *next_context(void)
{
	if (vr_unlikely(--vr_pe->budget < 0))
		return out_of_budget();
	if (vr_unlikely(vr_pe_has_news())) {
		vr_pe_poll();
		if (vr_unlikely(has_moves()))
			return NULL;
	}
	return queue_pop();
}

/* Whoever is next runs; that may be this rank itself, made ready while it looked for news. */
static inline void give_way(struct vr_context *me)
{
	struct vr_context *next = next_context();
	if (next == me) {
		set_state(me, VR_RUNNING);
		return;
	}
	left_reason = VR_BUDGET;
	switch_to(me, next);
}

void (*vr_calls_run)(struct vr_rank *r);

void vr_rank_block(void)
{
	struct vr_context *me = vr_context;
	if (vr_unlikely(me->rank->calls_waiting) && me->wait.fn >= 0)
		vr_calls_run(me->rank);
	if (vr_likely(atomic_load_explicit(&me->state, memory_order_relaxed) != VR_READY)) /* a function that was called has looked for messages */
		set_state(me, VR_BLOCKED);
	vr_pe->blocks++;
	hot = me->rank;
	give_way(me);
}

void vr_rank_rest(void)
{
	struct vr_context *me = vr_context;
	for (;;) {
		set_state(me, VR_ENDED);
		give_way(me);
	}
}

void vr_rank_yield(void)
{
	struct vr_context *me = vr_context;
	int opened = vr_isolate_open();
	if (vr_unlikely(vr_pe_has_news()))
		vr_pe_poll();
	if ((vr_pe->head || vr_pe->timers || --vr_pe->budget < 0) && !vr_unlikely(vr_in_callbacks) && !vr_is_child()) {
		vr_rank_ready(me);
		give_way(me);
	}
	vr_isolate_restore(opened);
}

static int timers_remove(struct vr_context *context)
{
	struct vr_context **at = &vr_pe->timers;
	while (*at && *at != context)
		at = &(*at)->timer_next;
	if (!*at)
		return 0;
	*at = context->timer_next;
	return 1;
}

void vr_rank_sleep(int64_t nanoseconds)
{
	struct vr_context *me = vr_context;
	if (vr_unlikely(vr_in_callbacks) || vr_is_child()) {
		nanosleep(&(struct timespec){nanoseconds / 1000000000, nanoseconds % 1000000000}, NULL);
		return;
	}
	int opened = vr_isolate_open();
	me->wake_at = vr_now() + nanoseconds;
	vr_timers_insert(vr_pe, me);
	me->wait = (struct vr_wait){.fn = -1, .peer = VR_NOBODY};
	set_state(me, VR_SLEEPING);
	left_reason = VR_BUDGET;
	switch_to(me, NULL);
	vr_isolate_restore(opened);
}

void vr_rank_rouse(struct vr_context *r)
{
	if (timers_remove(r))
		vr_rank_ready(r);
}

/* ---- for ranks that move ---- */

static int queue_remove(struct vr_context *context)
{
	struct vr_context *before = NULL, *r = vr_pe->head;
	for (; r && r != context; r = r->run_next)
		before = r;
	if (!r)
		return 0;
	*(before ? &before->run_next : &vr_pe->head) = r->run_next;
	if (vr_pe->tail == r)
		vr_pe->tail = before;
	return 1;
}

void vr_schedule_rest(void)
{
	hot = NULL;
	vr_pe_watch(NULL);
	vr_tls_unload();
}

enum vr_place vr_schedule_remove(struct vr_context *context)
{
	if (hot == context->rank)
		hot = NULL;
	if (atomic_load_explicit(&vr_pe->watched, memory_order_relaxed) == context->rank)
		vr_pe_watch(NULL);
	if (queue_remove(context))
		return VR_IN_QUEUE;
	return timers_remove(context) ? VR_IN_TIMERS : VR_IN_NONE;
}

void vr_schedule_insert(struct vr_context *context, enum vr_place place)
{
	if (place == VR_IN_QUEUE)
		vr_rank_ready(context);
	else if (place == VR_IN_TIMERS)
		vr_timers_insert(vr_pe, context);
}

int vr_timers_fire(void)
{
	int64_t now;
	int fired = 0;
	if (vr_likely(!vr_pe->timers))
		return 0;
	for (now = vr_now(); vr_pe->timers && vr_pe->timers->wake_at <= now; fired = 1) {
		struct vr_context *r = vr_pe->timers;
		vr_pe->timers = r->timer_next;
		vr_rank_ready(r);
	}
	return fired;
}

/* ---- the PE loop ---- */

static void run(struct vr_context *r)
{
	left_reason = VR_BUDGET;
	vr_left_by = NULL;
	switch_to(NULL, r);
}

/* A rank whose stack the hooks use that the PE's own stack will not do for. They may leave to Go and come back. */
static struct {
	struct vr_context *context;
	void *sp; /* where it sleeps itself */
	uint32_t state;
} host;

static void run_hooks_as_host(void *arg)
{
	struct vr_context *r = host.context;
	void *never;
	(void)arg;
	vr_progress_hooks_run();
	if (atomic_load_explicit(&r->state, memory_order_relaxed) == VR_RUNNING)
		set_state(r, host.state);
	left_reason = VR_BUDGET;
	vr_current = NULL;
	vr_context = NULL;
	r->sp = host.sp;
	vr_switch(&never, pe_sp);
}

static struct vr_context *make_host(void)
{
	struct vr_context *r = &vr_progress_hooks.head->rank->context;
	host.context = r;
	host.sp = r->sp;
	host.state = atomic_load_explicit(&r->state, memory_order_relaxed);
	r->sp = vr_callback_prepare(r, run_hooks_as_host, NULL);
	return r;
}

static struct vr_context *next_to_run(void)
{
	vr_timers_fire();
	vr_pe_poll();
	if (vr_unlikely(atomic_load_explicit(&vr_signals_news, memory_order_relaxed)))
		vr_core_hooks.poll_signals();
	if (vr_unlikely(vr_progress_hooks.head && !vr_progress_hooks.running))
		return make_host();
	struct vr_context *r = queue_pop();
	if (vr_unlikely(!r && vr_pe->has_stealable) && vr_core_hooks.stealable_retake())
		r = queue_pop();
	return r;
}

/* A PE that is to freeze looks after each switch whether its ranks are at rest. */
static int budget(void)
{
	return vr_unlikely(vr_pe->is_told) ? 0 : SWITCHES_PER_RUN;
}

static enum vr_reason run_ranks(struct vr_context *resume)
{
	int rounds = 64;
	vr_pe->budget = vr_in_callbacks ? -1 : budget();
	while (!vr_job_is_stopped()) {
		struct vr_context *r = resume;
		resume = NULL;
		if (!r) {
			if (has_moves())
				return VR_MOVES;
			if (has_to_freeze())
				return VR_FREEZES;
			r = next_to_run();
		}
		if (r) {
			run(r);
			if (left_reason != VR_BUDGET)
				return left_reason;
		} else if (vr_job_has_ended()) {
			if (vr_core_hooks.forgo_freeze())
				return VR_ALL_ENDED;
		} else if (has_moves()) {
			return VR_MOVES;
		} else if (vr_idle(hot)) {
			return VR_DEADLOCK;
		}
		if (vr_pe->budget < 0) {
			if (--rounds == 0)
				return VR_BUDGET;
			vr_pe->budget = budget();
		}
	}
	return VR_STOPPED;
}

enum vr_reason vr_pe_run(struct vr_context *resume)
{
	vr_park_enter();
	enum vr_reason why = run_ranks(resume);
	vr_park_leave();
	return why;
}

void *vr_fault_escape(struct vr_rank *r)
{
	left_reason = VR_FAULT;
	vr_left_by = &r->context;
	set_state(&r->context, VR_FAULTED);
	vr_current = NULL;
	vr_context = NULL;
	return pe_sp;
}
