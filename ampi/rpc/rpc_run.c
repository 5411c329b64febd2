/* Calls that arrive, and how they run: see rpc.h. */
#include "ampi/rpc/rpc.h"
#include "ampi/rpc/rpc_closed.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vrank/core/fiber.h"
#include "vrank/p2p/active.h"

#define SMALL_ANSWER 4096 /* room for it on the stack */

struct ampi_rpc *ampi_rpc_of(struct vr_rank *r)
{
	struct ampi_rank *m = r->mpi;
	if (vr_unlikely(!m->rpc))
		m->rpc = vr_rank_calloc(r, 1, sizeof *m->rpc);
	return m->rpc;
}

/* ---- answers ---- */

struct failure {
	int32_t class;
	char text[sizeof((struct ampi_rpc *)0)->failure];
};

/* An answer, to request `tag` of a rank. */
static struct vr_message answer_to(int32_t dest, int32_t tag, const void *data, size_t n)
{
	return (struct vr_message){.buf = data, .count = n, .type = vr_type_predefined((uint64_t)MPI_BYTE), .context = AMPI_RPC_ANSWER,
				   .source = vr_current->id, .dest = dest, .dest_world = dest, .tag = tag};
}

/* A one-way call has nobody to tell but whoever reads the output. */
static void refuse(struct vr_rank *me, const struct vr_env *e, int class, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void refuse(struct vr_rank *me, const struct vr_env *e, int class, const char *fmt, ...)
{
	struct failure f = {.class = class};
	va_list args;
	va_start(args, fmt);
	vsnprintf(f.text, sizeof f.text, fmt, args);
	va_end(args);
	struct vr_active m = {.context = AMPI_RPC_FAILURE, .source = me->id, .tag = e->tag, .dest_world = e->source, .data = &f,
			      .bytes = offsetof(struct failure, text) + strlen(f.text) + 1};
	if (!e->tag || vr_active_send(me, &m))
		vr_out_printf(me->id, 2, "ampirun: rank %d: a call of rank %d was not run: %s\n", me->id, e->source, f.text);
}

/* The receive that waits for the answer gets what went wrong instead. */
static void take_failure(struct vr_rank *r, struct vr_env *e)
{
	struct vr_request *receive = vr_request_at(r, e->tag);
	struct vr_arrived a = vr_active_open(e);
	const struct failure *f = a.data;
	struct ampi_rpc *s = ampi_rpc_of(r);
	if (s)
		strcpy(s->failure, f->text);
	receive->error = f->class;
	vr_active_done(e);
	vr_match_unpost(&r->matcher, receive);
	vr_request_complete(receive);
}

/* ---- one call ---- */

struct work {
	struct vr_env *e;
	struct vr_arrived a;
	struct ampi_rpc_call call;
	size_t size;
	const struct ampi_comm *comm;
	void *fn;
};

void ampi_rpc_closed(uint32_t context)
{
	struct ampi_rpc *s = ampi_me()->rpc;
	if (!s)
		return;
	if (s->nclosed == s->closed_room) {
		uint32_t room = s->closed_room ? 2 * s->closed_room : 16;
		uint32_t *larger = vr_rank_realloc(vr_current, s->closed, room * sizeof *larger);
		if (!larger)
			return; /* such calls are kept for good */
		s->closed = larger;
		s->closed_room = room;
	}
	s->closed[s->nclosed++] = context;
}

static int is_closed(const struct ampi_rpc *s, uint32_t context)
{
	for (uint32_t i = 0; i < s->nclosed; i++)
		if (s->closed[i] == context)
			return 1;
	return 0;
}

static const struct ampi_comm *find_comm(uint32_t context)
{
	const struct ampi_rank *m = ampi_me();
	if (context == AMPI_CONTEXT_WORLD)
		return &m->world;
	if (context == AMPI_CONTEXT_SELF)
		return &m->self;
	for (uint32_t i = 0; i < m->comms.room; i++) {
		const struct ampi_comm *c = m->comms.slot[i];
		if (c && c->context == context && c->refs > 0)
			return c;
	}
	return NULL;
}

/* A function is where code is: a token that leads elsewhere is no function's. */
static enum cs_outcome find_function(struct ampi_rpc *s, struct work *w)
{
	struct cs_table *t = cs_rank_table(&s->segments);
	uint64_t at;
	enum cs_outcome outcome = t ? cs_resolve(t, &w->call.token, &at) : CS_NOWHERE;
	if (outcome != CS_OK)
		return outcome;
	if (w->call.token.word >> 63 && !(cs_find_fast(t, at)->flags & CS_CODE))
		return CS_DATA;
	w->fn = (void *)at;
	return CS_OK;
}

static int open_call(struct ampi_rpc *s, struct work *w)
{
	uint32_t context = w->e->node.context & ~VR_ACTIVE;
	int is_world = context == AMPI_CONTEXT_WORLD;
	w->a = vr_active_open(w->e);
	uint32_t trailer = ampi_rpc_unpack(&w->call, is_world, w->a.trailer_end, w->a.bytes);
	if (!trailer) {
		refuse(vr_current, w->e, MPI_ERR_INTERN, "the message is too short");
		return 0;
	}
	if (is_world)
		w->call.origin = w->e->source;
	w->size = w->a.bytes - trailer;
	if (!w->comm) {
		refuse(vr_current, w->e, MPI_ERR_COMM, "rank %d has freed the communicator", vr_current->id);
		return 0;
	}
	enum cs_outcome outcome = find_function(s, w);
	if (outcome != CS_OK)
		refuse(vr_current, w->e, MPI_ERR_ARG, "on rank %d the function %s", vr_current->id, cs_outcome_text(outcome));
	return outcome == CS_OK;
}

/* `heap` is the buffer when it was allocated: it goes when the answer has been sent. */
static void answer(const struct work *w, void *buffer, void *heap, size_t n)
{
	struct vr_rank *me = vr_current;
	struct vr_message m = answer_to(w->e->source, w->e->tag, buffer, n);
	m.mode = heap ? VR_STANDARD : VR_BUFFERED; /* what is on the stack is copied if it has to wait */
	struct vr_request *r = vr_send_start(&m);
	if (r == VR_NO_MEMORY)
		refuse(me, w->e, MPI_ERR_NO_MEM, "rank %d: %s", me->id, vr_why_full(me));
	if (r && r != VR_NO_MEMORY) {
		r->flags |= VR_RQ_ORPHAN;
		if (heap && !(r->flags & VR_RQ_OWNS_BUFFER)) {
			r->buf = heap;
			r->flags |= VR_RQ_OWNS_BUFFER;
			return;
		}
	}
	vr_rank_free(me, heap);
}

static void answer_call(struct work *w)
{
	char small[SMALL_ANSWER] __attribute__((aligned(64)));
	uint64_t room = w->call.capacity;
	void *heap = room > sizeof small ? vr_rank_alloc(vr_current, room) : NULL, *buffer = heap ? heap : small;
	if (room > sizeof small && !heap) {
		refuse(vr_current, w->e, MPI_ERR_NO_MEM, "rank %d has no room for an answer of %llu bytes: %s", vr_current->id,
		       (unsigned long long)room, vr_why_full(vr_current));
		return;
	}
	size_t n = ((AMPI_Rpc_reply_fn)w->fn)(w->a.data, w->size, buffer, room, w->call.origin, (MPI_Comm)(uint64_t)w->comm->handle);
	if (n <= room) {
		answer(w, buffer, heap, n);
		return;
	}
	refuse(vr_current, w->e, MPI_ERR_TRUNCATE, "the function on rank %d says that its answer has %zu bytes, and there is room for %llu", vr_current->id,
	       n, (unsigned long long)room);
	vr_rank_free(vr_current, heap);
}

static void carry_out(struct ampi_rpc *s, struct vr_env *e, const struct ampi_comm *comm)
{
	struct work w = {.e = e, .comm = comm};
	if (open_call(s, &w)) {
		if (e->tag)
			answer_call(&w);
		else
			((AMPI_Rpc_fn)w.fn)(w.a.data, w.size, w.call.origin, (MPI_Comm)(uint64_t)w.comm->handle);
	}
	vr_active_done(e);
}

/* ---- the queue ---- */

static void append(struct ampi_rpc *s, struct vr_env *e)
{
	e->arrival_next = NULL;
	*(s->first ? &s->last->arrival_next : &s->first) = e;
	s->last = e;
}

/* A caller may have a communicator that this rank is about to make: such a call waits, and those behind it do. */
static void carry_out_all(void *arg)
{
	struct ampi_rpc *s = arg;
	struct vr_env *e;
	while ((e = s->first)) {
		uint32_t context = e->node.context & ~VR_ACTIVE;
		const struct ampi_comm *comm = find_comm(context);
		if (!comm && !is_closed(s, context)) {
			vr_current->calls_waiting = 1;
			return;
		}
		s->first = e->arrival_next;
		carry_out(s, e, comm);
	}
}

static int sleeps_in_mpi(const struct vr_context *c)
{
	uint32_t state = atomic_load_explicit(&c->state, memory_order_relaxed);
	return (state == VR_BLOCKED || state == VR_READY) && c->wait.fn >= 0;
}

/* One of the rank's contexts that is inside of a call of MPI and does not run. */
static struct vr_context *resting_context(struct vr_rank *r)
{
	if (r->mpi_state != VR_MPI_RUNNING && !((struct ampi_rank *)r->mpi)->open_sessions)
		return NULL;
	if (sleeps_in_mpi(&r->context))
		return &r->context;
	for (struct vr_fiber *f = r->fibers; f; f = f->next)
		if (sleeps_in_mpi(&f->context))
			return &f->context;
	return NULL;
}

static void run(struct vr_progress_hook *h)
{
	struct ampi_rpc *s = (struct ampi_rpc *)((char *)h - offsetof(struct ampi_rpc, hook));
	struct vr_rank *r = h->rank;
	struct vr_context *on = vr_is_mine(r) ? resting_context(r) : NULL;
	if (!on && r == vr_current)
		on = vr_context;
	if (on)
		vr_context_callback(on, carry_out_all, s);
	else
		r->calls_waiting = 1;
}

static void enqueue(struct vr_rank *r, struct vr_env *e)
{
	struct ampi_rpc *s = ampi_rpc_of(r);
	if (!s)
		vr_job_abort(1, "rank %d has no memory for a remote call: %s", r->id, vr_why_full(r));
	append(s, e);
	s->hook.run = run;
	s->hook.rank = r;
	s->hook.borrows = 1;
	if (resting_context(r))
		vr_progress_hook_ready(&s->hook);
	else
		r->calls_waiting = 1;
}

/* The owner of r, any stack. What cannot run now does in the next call of MPI in which the rank waits, or looks for messages. */
static void arrived(struct vr_rank *r, struct vr_env *e)
{
	if ((e->node.context & ~VR_ACTIVE) == AMPI_RPC_FAILURE) {
		take_failure(r, e);
	} else if (r->mpi_state == VR_MPI_FINALIZED && !((struct ampi_rank *)r->mpi)->open_sessions) {
		refuse(r, e, MPI_ERR_OTHER, "rank %d has called MPI_Finalize", r->id);
		vr_active_done(e);
	} else {
		enqueue(r, e);
	}
}

static void run_waiting(struct vr_rank *r)
{
	struct ampi_rpc *s = ampi_rpc_of(r);
	r->calls_waiting = 0;
	if (s && s->first)
		vr_progress_hook_ready(&s->hook);
}

void ampi_rpc_setup(void)
{
	vr_active_handler = arrived;
	vr_calls_run = run_waiting;
}
