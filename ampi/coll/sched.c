/* The engine that takes the steps of schedules, see sched.h. Runs on any stack of the worker that owns the rank. */
#include "ampi/coll/sched.h"

#include <stdlib.h>

#include "ampi/coll/sched_engine.h"

/* The other members rely on this one, so an operation that has begun cannot be given up. */
static __attribute__((noreturn)) void out_of_memory(const struct ampi_sched *p)
{
	const char *why = vr_why_full(p->rank);
	if (vr_current)
		vr_job_abort(MPI_ERR_NO_MEM, "%s of rank %d is under way: %s", ampi_name(p->fn), p->rank->id, why);
	vr_out_printf(p->rank->id, 2, "ampirun: %s of rank %d is under way: %s\n", ampi_name(p->fn), p->rank->id, why);
	abort();
}

/* ---- messages ---- */

static uint32_t context_of(const struct ampi_sched *p, const struct ampi_step *s)
{
	return p->comm->context + (s->across ? AMPI_CONTEXT_ACROSS : AMPI_CONTEXT_PLAN);
}

static int32_t world_of(const struct ampi_sched *p, const struct ampi_step *s)
{
	return s->across ? p->comm->remote_world[s->peer] : ampi_to_world_of(p->rank, p->comm, s->peer);
}

static void own(struct ampi_sched *p, struct vr_request *r)
{
	r->flags |= VR_RQ_HOOK;
	r->extra = &p->hook;
	p->pending++;
}

/* What tells the receiver of a message in an exact sched that the operation has failed: a size that is none. */
static void send_bad_news(struct vr_message *m)
{
	static const char byte;
	int is_empty = !m->count || !m->type->size;
	m->buf = &byte;
	m->count = is_empty;
	m->type = ampi_bytes();
}

static void start_send(struct ampi_sched *p, const struct ampi_step *s)
{
	struct vr_message m = {.buf = vr_live(s->data.buf), .count = s->data.count, .type = s->data.type, .context = context_of(p, s),
			       .source = p->comm->rank, .dest = s->peer, .dest_world = world_of(p, s), .tag = p->tag};
	if (vr_unlikely(p->error && p->exact))
		send_bad_news(&m);
	struct vr_request *r = vr_send_start_as(p->rank, &m);
	if (r == VR_NO_MEMORY)
		out_of_memory(p);
	if (r)
		own(p, r);
}

static void start_recv(struct ampi_sched *p, const struct ampi_step *s)
{
	struct vr_request *r = vr_request_alloc(p->rank, VR_REQ_RECV);
	if (!r)
		out_of_memory(p);
	r->buf = s->data.buf;
	r->count = s->data.count;
	r->type = s->data.type;
	r->context = context_of(p, s);
	r->peer = s->peer;
	r->tag = p->tag;
	own(p, r);
	vr_recv_start(r);
}

static struct ampi_sched *sched_of(struct vr_progress_hook *s)
{
	return (struct ampi_sched *)((char *)s - offsetof(struct ampi_sched, hook));
}

void ampi_sched_completed(struct vr_request *r)
{
	struct ampi_sched *p = sched_of(r->extra);
	if (vr_unlikely(r->error))
		ampi_sched_fail(p, r->error);
	else if (r->kind == VR_REQ_RECV && p->exact && vr_unlikely(r->bytes != r->count * r->type->size))
		ampi_sched_fail(p, MPI_ERR_COUNT);
	vr_request_free(r);
	if (--p->pending == 0 && !p->running)
		vr_progress_hook_ready(&p->hook);
}

/* ---- local steps ---- */

static void copy(struct ampi_sched *p, const struct ampi_step *s)
{
	int64_t bytes = s->from.count * s->from.type->size, room = s->data.count * s->data.type->size;
	if (vr_unlikely(bytes > room))
		ampi_sched_fail(p, MPI_ERR_TRUNCATE);
	else if (vr_unlikely(bytes < room && p->exact))
		ampi_sched_fail(p, MPI_ERR_COUNT);
	vr_data_copy(&s->data, &s->from, bytes < room ? bytes : room);
}

struct application {
	const struct ampi_reducer *op;
	const struct ampi_step *step;
};

static void apply(void *arg)
{
	const struct application *a = arg;
	ampi_reducer_apply(a->op, vr_live(a->step->from.buf), vr_live(a->step->data.buf), a->step->data.count);
}

static void reduce(struct ampi_sched *p, const struct ampi_step *s)
{
	struct application a = {&p->op, s};
	if (!s->data.count || p->error)
		return;
	if (p->op.kernel)
		apply(&a);
	else
		vr_rank_callback(p->rank, apply, &a);
}

/* ---- taking steps ---- */

static void take(struct ampi_sched *p, const struct ampi_step *s)
{
	switch ((enum ampi_step_kind)s->kind) {
	case AMPI_STEP_SEND:
		start_send(p, s);
		break;
	case AMPI_STEP_RECV:
		start_recv(p, s);
		break;
	case AMPI_STEP_COPY:
		copy(p, s);
		break;
	case AMPI_STEP_REDUCE:
		reduce(p, s);
		break;
	case AMPI_STEP_CALL:
		s->call(p, s->arg);
		break;
	}
}

/* As far as it goes. 1: all steps are taken and complete. */
static int take_steps(struct ampi_sched *p)
{
	for (; p->at < p->n; p->at++) {
		const struct ampi_step *s = &p->steps[p->at];
		if (s->after && p->pending)
			return 0;
		take(p, s);
	}
	return !p->pending;
}

static int next_batch(struct ampi_sched *p)
{
	if (!p->more)
		return 0;
	p->at = p->n = 0;
	int any = p->more(p);
	if (p->failed)
		out_of_memory(p);
	p->batch++;
	return any;
}

void ampi_sched_run(struct vr_progress_hook *s)
{
	struct ampi_sched *p = sched_of(s);
	int done;
	p->running = 1;
	while ((done = take_steps(p)) && next_batch(p))
		;
	p->running = 0;
	if (!done)
		return;
	p->outer->error = p->error;
	if (!(p->outer->flags & VR_RQ_PERSISTENT))
		ampi_sched_free_memory(p);
	vr_request_complete(p->outer);
}
