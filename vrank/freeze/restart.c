/* Jobs that go on after a restart, see restart.h. */
#include "vrank/freeze/restart.h"

#include <string.h>

#include "vrank/core/inbox.h"
#include "vrank/core/schedule.h"
#include "vrank/core/timeline.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/directory.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/life.h"
#include "vrank/libc/protect.h"
#include "vrank/libc/redirect.h"
#include "vrank/libc/signals.h"
#include "vrank/migrate/move.h"
#include "vrank/migrate/steal.h"

/* ---- work that PEs had ---- */

static void drop_orders(struct vr_moves *all)
{
	struct vr_move *m = all->first;
	*all = (struct vr_moves){0};
	while (m) {
		struct vr_move *next = m->next;
		vr_arena_free(m, sizeof *m);
		m = next;
	}
}

/* Who wanted a rank to move, or ranks to be given, may be there no more: they will ask again. */
static int is_void(struct vr_work *w)
{
	if (!vr_move_is_order(w))
		return vr_steal_is_question(w);
	vr_arena_free(w, sizeof(struct vr_move));
	return 1;
}

/* An inbox is a stack: what came first is at its end. */
static struct vr_node *oldest_first(struct vr_node *n)
{
	struct vr_node *list = NULL;
	while (n) {
		struct vr_node *next = n->next;
		n->next = list;
		list = n;
		n = next;
	}
	return list;
}

static void post_again(int pe, struct vr_node *n)
{
	for (n = oldest_first(n); n;) {
		struct vr_node *next = n->next;
		if (!is_void((struct vr_work *)n))
			vr_pe_post(pe, (struct vr_work *)n);
		n = next;
	}
}

/* ---- ranks ---- */

static struct vr_pe *pe_of(const struct vr_context *context)
{
	return &vr_job->pe[vr_owner(context->rank)];
}

static void place_ranks(int old)
{
	for (int i = 0; i < vr_job->ranks; i++) {
		struct vr_rank *r = vr_rank_of(i);
		if (old != vr_job->pes)
			atomic_store(&r->pe, (int64_t)i * vr_job->pes / vr_job->ranks);
		if (atomic_load(&r->load.destination) > vr_job->pes)
			atomic_store(&r->load.destination, 0);
		atomic_store(&r->on_wake, 0); /* whoever takes the rank in looks into its inbox */
	}
}

/* What the scheduler of a PE had, which all is taken out of it. */
struct queues {
	struct vr_context *ready, *timers;
	struct vr_node *inbox;
};

static struct queues empty(struct vr_pe *pe)
{
	struct queues q = {pe->head, pe->timers, atomic_exchange(&pe->inbox, NULL)};
	drop_orders(&pe->orders);
	pe->head = pe->tail = pe->timers = NULL;
	pe->all = NULL;
	pe->arrivals = (struct vr_moves){0};
	pe->has_stealable = 0;
	pe->stealable_until = 0;
	pe->nranks = pe->is_told = 0;
	pe->idle_since = 0;
	pe->switches = pe->idle_ticks = pe->busy_ticks = pe->move_ticks = pe->move_steps = 0;
	atomic_store(&pe->wake, NULL);
	atomic_store(&pe->watched, NULL);
	atomic_store(&pe->asleep, 0);
	atomic_store(&pe->core, -1);
	atomic_store(&pe->watch, atomic_load(&vr_job->windows));
	return q;
}

static void refill(int pe, const struct queues *q)
{
	for (struct vr_context *c = q->ready, *next; c; c = next) {
		next = c->run_next;
		vr_queue_append(pe_of(c), c);
	}
	for (struct vr_context *c = q->timers, *next; c; c = next) {
		next = c->timer_next;
		vr_timers_insert(pe_of(c), c);
	}
	post_again(pe, q->inbox);
}

/* ---- envelopes ---- */

static void adopt_free(struct vr_pe *to, struct vr_env **list, int class)
{
	for (struct vr_env *e = *list, *next; e; e = next) {
		next = e->bucket_next;
		e->bucket_next = to->free[class];
		to->free[class] = e;
		to->nfree[class]++;
	}
	*list = NULL;
}

/* A PE that is no more leaves its free envelopes to the one that has its work. */
static void bequeath(struct vr_pe *from, struct vr_pe *to)
{
	for (int class = 0; class < VR_POOL_CLASSES; class++) {
		adopt_free(to, &from->free[class], class);
		from->nfree[class] = 0;
	}
	struct vr_env *e = atomic_exchange(&from->freed, NULL);
	while (e) {
		struct vr_env *next = e->bucket_next;
		e->bucket_next = to->free[e->node.size_class];
		to->free[e->node.size_class] = e;
		to->nfree[e->node.size_class]++;
		e = next;
	}
}

/* A PE that was not there when the address space was divided gets half of the largest pool. */
static void found_pool(struct vr_pe *pe, int n)
{
	struct vr_pe *rich = &vr_job->pe[0];
	if (pe->pool_end)
		return;
	for (int i = 1; i < n; i++)
		if (vr_job->pe[i].pool_end - vr_job->pe[i].pool_next > rich->pool_end - rich->pool_next)
			rich = &vr_job->pe[i];
	pe->pool_end = rich->pool_end;
	pe->pool_next = rich->pool_next + ((rich->pool_end - rich->pool_next) / 2 & -4096ll);
	rich->pool_end = pe->pool_next;
	pe->timeline = (struct vr_timeline *)pe->pool_next;
	pe->pool_next += vr_timeline_size();
}

/* ---- the job ---- */

void vr_job_restart(int pes)
{
	struct vr_job *job = vr_job;
	int old = job->pes, most = old > pes ? old : pes;
	static struct queues q[VR_MAX_PES];
	atomic_store(&job->freeze.begun, atomic_load(&job->freeze.copied)); /* from here on it is not what was frozen */
	atomic_store(&job->freeze.halted, 0);
	job->pes = pes;
	atomic_store(&job->started, 0);
	atomic_store(&job->stop, 0);
	atomic_store(&job->idle, 0);
	atomic_store(&job->deadlock, 0);
	atomic_store(&job->measuring, 0);
	job->ticks_per_second = vr_job_measure_ticks();
	job->clock = job->freeze.at - vr_now();
	job->freeze = (struct vr_freeze){.migration_epoch = atomic_load(&job->freeze.migration_epoch) + 1, .done = atomic_load(&job->freeze.done) + 1};
	for (int i = 0; i < most; i++)
		q[i] = empty(&job->pe[i]);
	for (int i = 0; i < pes; i++)
		job->pe[i].id = i;
	for (int i = old; i < pes; i++)
		found_pool(&job->pe[i], i);
	for (int i = pes; i < old; i++)
		bequeath(&job->pe[i], &job->pe[i % pes]);
	place_ranks(old);
	for (int i = 0; i < most; i++)
		refill(i, &q[i]);
	for (int i = 0; i < most; i++)
		job->pe[i].steal = (struct vr_steal){0}; /* questions were in inboxes until now */
	atomic_thread_fence(memory_order_seq_cst);
	job->magic = VR_JOB_MAGIC;
}

const char *vr_rank_restart(struct vr_rank *r)
{
	if (vr_directory_adopt(r))
		return "the directory that the job began in cannot be opened";
	if (vr_protect_enter(r))
		return "its memory cannot be protected as it was (see vm.max_map_count)";
	const char *why = vr_rank_attach(r);
	if (!why && vr_redirect_enter(r))
		why = "its C library cannot be told to map files as it did";
	if (!why)
		vr_rank_adopt(r);
	return why;
}

/* ---- what a process has of a rank that stays ---- */

const char *vr_rank_detach(struct vr_rank *r)
{
	const char *why = vr_file_mapping_commit(r);
	if (why)
		return why;
	vr_signals_leave(r);
	vr_file_mapping_leave(r);
	return NULL;
}

const char *vr_rank_attach(struct vr_rank *r)
{
	if (vr_file_mapping_enter(r))
		return "the files that it has mapped cannot be mapped here (see vm.max_map_count)";
	return vr_signals_adopt(r);
}
