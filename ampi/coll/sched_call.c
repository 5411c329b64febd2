/* Calls that make schedules, from the check of the communicator to the end of the request. Rank stack. */
#include "ampi/coll/sched.h"

#include "ampi/coll/sched_engine.h"
#include "ampi/type_lend.h"

int ampi_sched_call_open(struct ampi_sched_call *call, enum ampi_way way, int fn, MPI_Comm comm, MPI_Request *request)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (vr_unlikely(!c))
		return ampi_bad_comm(comm, fn);
	if (vr_unlikely(way != AMPI_BLOCKING && !request))
		return ampi_raise(c, MPI_ERR_ARG, fn, "request is a null pointer");
	*call = (struct ampi_sched_call){.caller = {.comm = c, .rank = c->rank, .size = c->size, .fn = fn}, .way = way, .request = request};
	return MPI_SUCCESS;
}

/* ---- the request of a schedule ---- */

static void start(struct ampi_sched *p)
{
	p->error = 0;
	p->at = 0;
	p->batch = 0;
	if (p->more)
		p->n = 0;
	vr_progress_hook_ready(&p->hook);
}

static int start_again(int fn, struct vr_request *r)
{
	(void)fn;
	start(r->extra);
	return MPI_SUCCESS;
}

/* Any stack of the owner, but the objects of the program are its rank's. */
static void release(struct vr_request *r)
{
	struct ampi_sched *p = r->extra;
	ampi_sched_free_memory(p);
	if (p->op.user)
		ampi_type_return(p->rank, p->op.type);
	for (uint32_t i = 0; i < p->ntypes; i++)
		vr_type_release(p->types[i], p->rank);
	vr_rank_free(p->rank, p->types);
	if (p->op.user)
		ampi_op_release((struct ampi_op *)p->op.user);
	ampi_comm_release(p->comm);
	if (p->steps != p->few)
		vr_rank_free(p->rank, p->steps);
}

/* The standard forbids it at any time (MPI 5.0 section 6.12); what is complete harms nobody, and other implementations let it go. */
static int refuse_free(int fn, struct vr_request *r)
{
	if (r->flags & VR_RQ_DONE)
		return MPI_SUCCESS;
	return ampi_raise(ampi_comm((MPI_Comm)r->comm), MPI_ERR_REQUEST, fn, "request is of a collective operation (%s) that has to be waited for",
			  ampi_name(r->tag));
}

static int refuse_cancel(int fn, struct vr_request *r)
{
	return ampi_raise(ampi_comm((MPI_Comm)r->comm), MPI_ERR_REQUEST, fn, "request is of a collective operation (%s), which cannot be cancelled",
			  ampi_name(r->tag));
}

static const struct ampi_request_class sched_class = {.refuse_free = refuse_free, .cancel = refuse_cancel, .release = release};
static const struct ampi_request_class persistent_class = {
	.start = start_again, .refuse_free = refuse_free, .cancel = refuse_cancel, .release = release};

/* ---- making ---- */

static void init(struct ampi_sched *p, const struct ampi_sched_call *call)
{
	struct vr_rank *me = vr_current;
	p->hook = (struct vr_progress_hook){.hook = {ampi_sched_completed}, .run = ampi_sched_run, .rank = me};
	p->rank = me;
	p->comm = call->caller.comm;
	p->comm->refs++;
	p->fn = call->caller.fn;
	p->tag = (int32_t)(p->comm->schedules++ & INT32_MAX);
	p->size = call->caller.size;
	p->steps = p->few;
	p->room = AMPI_SCHED_FEW;
}

struct ampi_sched *ampi_sched_new(const struct ampi_sched_call *call)
{
	struct vr_request *r = ampi_request_make_part(call->way == AMPI_PERSISTENT ? &persistent_class : &sched_class, sizeof(struct ampi_sched),
						      offsetof(struct ampi_sched, near));
	if (!r)
		return NULL;
	struct ampi_sched *p = r->extra;
	init(p, call);
	p->outer = r;
	r->tag = p->fn;
	r->context = p->comm->context;
	r->comm = p->comm->handle;
	return p;
}

/* ---- launching ---- */

static int no_memory(struct ampi_sched *p, const struct ampi_sched_call *call)
{
	if (p)
		ampi_request_discard(p->outer);
	return ampi_no_memory(call->caller.comm, call->caller.fn);
}

static int raise(const struct ampi_caller *c, int klass)
{
	if (!klass)
		return MPI_SUCCESS;
	if (klass == MPI_ERR_TRUNCATE)
		return ampi_raise(c->comm, klass, c->fn, "a member sent more than there is room for");
	if (klass == MPI_ERR_COUNT)
		return ampi_raise(c->comm, klass, c->fn, "the members' counts differ");
	return ampi_raise(c->comm, klass, c->fn, "a message of the operation failed");
}

static int run_to_end(struct ampi_sched *p, const struct ampi_sched_call *call)
{
	struct vr_request *r = p->outer;
	start(p);
	if (!(r->flags & VR_RQ_DONE)) {
		vr_context->wait.fn = p->fn;
		vr_request_wait(&r, 1, 1);
	}
	int error = r->error;
	ampi_request_discard(r);
	return raise(&call->caller, error);
}

int ampi_sched_launch(struct ampi_sched *p, const struct ampi_sched_call *call)
{
	if (!p || p->failed)
		return no_memory(p, call);
	if (call->way == AMPI_BLOCKING)
		return run_to_end(p, call);
	*call->request = ampi_request_handle(p->outer);
	if (call->way == AMPI_NONBLOCKING)
		start(p);
	return MPI_SUCCESS;
}
