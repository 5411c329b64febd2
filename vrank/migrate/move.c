/* Ranks that go to another worker, see move.h. */
#include "vrank/libc/directory.h"
#include "vrank/migrate/move.h"

#include <stdio.h>
#include <string.h>

#include "isomalloc/heap.h"
#include "vrank/core/access.h"
#include "vrank/core/callback.h"
#include "vrank/core/fiber.h"
#include "vrank/core/inbox.h"
#include "vrank/core/progress_hook.h"
#include "vrank/core/schedule.h"
#include "vrank/core/timeline.h"
#include "vrank/core/tls.h"
#include "vrank/core/transit.h"
#include "vrank/freeze/freeze.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/life.h"
#include "vrank/libc/process.h"
#include "vrank/libc/protect.h"
#include "vrank/libc/redirect.h"
#include "vrank/libc/signals.h"
#include "vrank/migrate/fd_passing.h"
#include "vrank/migrate/rebind.h"
#include "vrank/migrate/steal.h"
#include "vrank/migrate/stealable.h"

/* ---- lists of the PE ---- */

static void append(struct vr_moves *list, struct vr_move *m)
{
	m->next = NULL;
	*(list->first ? &list->last->next : &list->first) = m;
	list->last = m;
}

static struct vr_move *take(struct vr_moves *list)
{
	struct vr_move *m = list->first;
	if (m)
		list->first = m->next;
	return m;
}

/* Have the PE loop look at its lists soon. Where ranks are lent the budget has a meaning of its own. */
static void hurry(void)
{
	if (!vr_in_callbacks)
		vr_pe->budget = 0;
}

static void ordered(struct vr_work *w)
{
	append(&vr_pe->orders, (struct vr_move *)w);
	hurry();
}

static void arrived(struct vr_work *w)
{
	append(&vr_pe->arrivals, (struct vr_move *)w);
	hurry();
}

struct vr_move *vr_move_next_order(void)
{
	return vr_pe->is_told ? NULL : take(&vr_pe->orders);
}

struct vr_move *vr_move_next_arrival(void)
{
	return take(&vr_pe->arrivals);
}

/* ---- orders ---- */

static struct vr_move *move_new(struct vr_rank *r, int32_t to)
{
	struct vr_move *m = vr_arena_alloc(sizeof *m);
	if (!m)
		return NULL;
	m->work.run = ordered;
	m->rank = r;
	m->to = to;
	return m;
}

/* The receipt is not this worker's any more once it is over. */
static void tell(struct vr_move *m, const char *why)
{
	if (!m->receipt)
		return;
	m->receipt->is_late = !vr_is_mine(m->rank);
	snprintf(m->receipt->why, sizeof m->receipt->why, "%s", why);
	atomic_store(&m->receipt->is_over, 1);
}

static void move_free(struct vr_move *m, int has_come)
{
	if (m->taken_from) {
		vr_steal_came(m->taken_at);
		m->rank = NULL;
		return;
	}
	if (m->is_steal)
		vr_steal_over(m->to, has_come);
	vr_arena_free(m, sizeof *m);
}

void vr_move_drop(struct vr_move *m, const char *why)
{
	tell(m, why);
	move_free(m, 0);
}

int vr_move_order(struct vr_rank *r, int32_t to)
{
	if (r->load.is_told) { /* it goes at the end of the call that it is in, or at the next point */
		atomic_store(&r->load.destination, to + 1);
		return 0;
	}
	struct vr_move *m = move_new(r, to);
	if (!m)
		return -1;
	vr_pe_post(vr_owner(r), &m->work);
	return 0;
}

struct vr_receipt *vr_move_order_receipt(struct vr_rank *r, int32_t to)
{
	struct vr_receipt *receipt = vr_arena_alloc(sizeof *receipt);
	if (!receipt)
		return NULL;
	struct vr_move *m = move_new(r, to);
	if (!m) {
		vr_arena_free(receipt, sizeof *receipt);
		return NULL;
	}
	m->receipt = receipt;
	vr_pe_post(vr_owner(r), &m->work);
	return receipt;
}

int vr_move_is_behind(int32_t id)
{
	const struct vr_pe *pe = &vr_job->pe[id];
	return *(struct vr_move *volatile const *)&pe->orders.first || atomic_load(&pe->inbox);
}

int vr_move_give(struct vr_rank *r, int32_t to)
{
	struct vr_move *m = move_new(r, to);
	if (!m)
		return -1;
	m->is_steal = 1;
	append(&vr_pe->orders, m);
	hurry();
	return 0;
}

/* Only this worker sees the record, and there is one at a time. */
static struct vr_move taken;

int vr_move_may_take(void)
{
	return !taken.rank;
}

void vr_move_taken(struct vr_rank *r, struct vr_pe *from, uint64_t since)
{
	taken = (struct vr_move){.rank = r, .to = vr_pe->id, .place = VR_IN_QUEUE, .taken_from = from, .taken_at = since};
	if (!vr_access_enter(r) && vr_rebind(r)) /* it has nothing else in processes, or it would not have been offered */
		vr_move_finish(&taken);
	else
		append(&vr_pe->arrivals, &taken);
}

const char *vr_move_hold(const struct vr_rank *r)
{
	if (atomic_load(&r->is_pinned))
		return r->pinned;
	if (r->process && r->process->children)
		return "it has child processes";
	if (r->signals && r->signals->fiber)
		return "it handles a signal while it waits";
	return NULL;
}

const char *vr_move_self(int32_t to)
{
	struct vr_rank *me = vr_current;
	struct vr_move *m;
	const char *why = vr_in_callbacks || vr_context != &me->context ? "it is in a function that MPI has called, or a thread" : vr_move_hold(me);
	if (why || to == vr_pe->id)
		return why;
	while (vr_pe->is_told) /* nobody leaves until the freeze is over; then it may go on elsewhere, or after a restart */
		vr_rank_yield();
	if (to == vr_pe->id)
		return NULL;
	if (to >= vr_job->pes)
		return "there is no such worker any more: the job was restarted with fewer";
	if (!(m = move_new(me, to)))
		return "the memory that the workers share is full";
	struct vr_receipt receipt = {0};
	static char text[sizeof receipt.why];
	m->is_own = 1;
	m->receipt = &receipt;
	append(&vr_pe->orders, m);
	vr_rank_ready(&me->context);
	vr_rank_leave(VR_MOVES);
	return receipt.why[0] ? memcpy(text, receipt.why, sizeof text) : NULL;
}

const char *vr_move_unasked(const struct vr_rank *r)
{
	if (r->load.is_fixed || r->load.is_told)
		return "the program wants it to stay, or to know when it goes";
	return vr_move_hold(r);
}

const char *vr_move_obstacle(const struct vr_move *m)
{
	const struct vr_rank *r = m->rank;
	if (vr_unlikely(vr_stealable_on))
		vr_stealable_retract(r);
	uint32_t state = atomic_load_explicit(&r->context.state, memory_order_relaxed);
	if (!vr_is_mine(r))
		return "it has moved meanwhile";
	if (m->to == vr_pe->id)
		return "it is there already";
	if (state != VR_READY && state != VR_BLOCKED && state != VR_SLEEPING)
		return "it has ended";
	return m->is_own ? vr_move_hold(r) : vr_move_unasked(r);
}

/* ---- going and coming ---- */

int vr_move_is_order(const struct vr_work *w)
{
	return w->run == ordered;
}

const char *vr_move_pack(struct vr_move *m, int *never)
{
	const char *why = vr_file_mapping_commit(m->rank);
	*never = !!why;
	if (why)
		return why;
	return vr_fdpass_send(m->rank, m->to, never);
}

void vr_move_detach(struct vr_move *m)
{
	struct vr_rank *r = m->rank;
	vr_directory_leave(r);
	vr_signals_leave(r);
	vr_fdpass_close();
	if (vr_loaded == r)
		vr_tls_unload();
	vr_file_mapping_leave(r);
	vr_protect_leave(r);
	m->place = vr_schedule_remove(&r->context);
	vr_migration_epoch++;
	vr_rank_release(r);
	r->move = m;
	m->work.run = arrived;
	vr_transit_begins();
	if (vr_timeline_on)
		vr_timeline_left(r, m->to);
	atomic_store(&r->pe, m->to | VR_IN_TRANSIT);
}

void vr_move_arrive(struct vr_rank *r)
{
	vr_pe_post(r->move->to, &r->move->work);
}

const char *vr_move_unpack(struct vr_move *m)
{
	struct vr_rank *r = m->rank;
	const char *why = vr_fdpass_receive(r);
	if (why)
		return why;
	if (vr_directory_adopt(r))
		return "the directory that the job began in cannot be opened";
	if (vr_protect_enter(r))
		return "its memory cannot be protected as it was (see vm.max_map_count)";
	if (vr_file_mapping_enter(r))
		return "the files that it has mapped cannot be mapped here (see vm.max_map_count)";
	if (vr_redirect_enter(r))
		return "its C library cannot be told to map files as it did";
	return vr_signals_adopt(r);
}

void vr_move_finish(struct vr_move *m)
{
	struct vr_rank *r = m->rank;
	r->move = NULL;
	if (vr_timeline_on)
		vr_timeline_came(r);
	r->counters.moves++;
	vr_rank_adopt(r);
	vr_schedule_insert(&r->context, m->place);
	struct vr_pe *from = m->taken_from;
	tell(m, "");
	move_free(m, 1);
	if (!from)
		vr_transit_ends();
	if (atomic_load(&r->inbox))
		vr_inbox_drain(r);
	if (from && atomic_load(&r->on_wake)) /* it waits in the list of a PE that may look there late */
		vr_wakes_rescue(from);
}
