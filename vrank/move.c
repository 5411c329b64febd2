/* Ranks that go to another worker, see move.h. */
#include "move.h"

#include "../isomalloc/heap.h"
#include "ferry.h"
#include "fiber.h"
#include "freeze.h"
#include "life.h"
#include "process.h"
#include "signals.h"
#include "steal.h"
#include "stepper.h"
#include "tls.h"

/* ---- lists of the PE ---- */

static void append(struct vr_move **list, struct vr_move *m)
{
	while (*list)
		list = &(*list)->next;
	m->next = NULL;
	*list = m;
}

static struct vr_move *take(struct vr_move **list)
{
	struct vr_move *m = *list;
	if (m)
		*list = m->next;
	return m;
}

/* Have the PE loop look at its lists soon. Where ranks are lent the budget has a meaning of its own. */
static void hurry(void)
{
	if (!vr_lent)
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
	m->ordered_at = vr_now();
	return m;
}

static void move_free(struct vr_move *m, int has_come)
{
	if (m->is_steal)
		vr_steal_over(m->to, has_come);
	vr_arena_free(m, sizeof *m);
}

void vr_move_drop(struct vr_move *m)
{
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

const char *vr_move_hold(const struct vr_rank *r)
{
	if (atomic_load(&r->is_pinned))
		return r->pinned;
	if (r->process && r->process->children)
		return "it has child processes";
	return NULL;
}

const char *vr_move_self(int32_t to)
{
	struct vr_rank *me = vr_context;
	struct vr_move *m;
	const char *why = vr_lent || me != me->home ? "it is in a function that MPI has called, or a thread" : vr_move_hold(me);
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
	m->is_own = 1;
	append(&vr_pe->orders, m);
	vr_rank_ready(me);
	vr_rank_leave(VR_MOVES);
	return NULL;
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
	uint32_t state = atomic_load_explicit(&r->state, memory_order_relaxed);
	if (!vr_is_mine(r))
		return "it has moved meanwhile";
	if (m->to == vr_pe->id)
		return "it is there already";
	if (state != VR_READY && state != VR_BLOCKED && state != VR_SLEEPING)
		return "it has ended";
	return m->is_own ? vr_move_hold(r) : vr_move_unasked(r);
}

/* ---- going and coming ---- */

static void leave_list(struct vr_rank *r)
{
	struct vr_rank **at = &vr_pe->all;
	while (*at != r)
		at = &(*at)->all_next;
	*at = r->all_next;
	vr_pe->nranks--;
}

int vr_move_is_order(const struct vr_work *w)
{
	return w->run == ordered;
}

const char *vr_move_pack(struct vr_move *m, int *never)
{
	return vr_ferry_send(m->rank, m->to, never);
}

void vr_move_send(struct vr_move *m)
{
	struct vr_rank *r = m->rank;
	vr_directory_leave(r);
	vr_ferry_close();
	if (vr_loaded == r)
		vr_tls_unload();
	vr_protect_leave(r);
	m->place = vr_schedule_remove(r);
	vr_departures++;
	leave_list(r);
	r->move = m;
	m->work.run = arrived;
	vr_freeze_departs();
	atomic_store(&r->pe, m->to | VR_IN_TRANSIT);
	vr_pe_post(m->to, &m->work);
}

const char *vr_move_unpack(struct vr_move *m)
{
	struct vr_rank *r = m->rank;
	const char *why = vr_ferry_receive(r);
	if (why)
		return why;
	if (vr_directory_adopt(r))
		return "the directory that the job began in cannot be opened";
	return vr_protect_enter(r) ? "its memory cannot be protected as it was (see vm.max_map_count)" : NULL;
}

void vr_move_finish(struct vr_move *m)
{
	struct vr_rank *r = m->rank;
	r->move = NULL;
	r->counters.moves++;
	vr_signals_adopt(r);
	vr_rank_adopt(r);
	vr_schedule_insert(r, m->place);
	move_free(m, 1);
	vr_freeze_arrives();
	if (atomic_load(&r->inbox))
		vr_inbox_drain(r);
}
