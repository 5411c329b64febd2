/* Calls that make plans, from the check of the communicator to the end of the request. Rank stack. */
#include "plan.h"

#include "plan_engine.h"

int ampi_plan_call_open(struct ampi_plan_call *call, enum ampi_way way, int fn, MPI_Comm comm, MPI_Request *request)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (vr_unlikely(!c))
		return ampi_bad_comm(comm, fn);
	if (vr_unlikely(way != AMPI_BLOCKING && !request))
		return ampi_raise(c, MPI_ERR_ARG, fn, "request is a null pointer");
	*call = (struct ampi_plan_call){.caller = {.comm = c, .rank = c->rank, .size = c->size, .fn = fn}, .way = way,
					.tag = (int32_t)(c->plans++ & INT32_MAX), .request = request};
	return MPI_SUCCESS;
}

/* ---- making ---- */

static struct vr_request *outer_new(struct ampi_plan *p, const struct ampi_plan_call *call)
{
	struct vr_request *r = vr_request_alloc(p->rank, VR_REQ_PLAN);
	if (!r)
		return NULL;
	r->flags = call->way == AMPI_PERSISTENT ? VR_RQ_PERSISTENT : 0;
	r->peer = VR_NOBODY;
	r->tag = p->fn;
	r->context = p->comm->context;
	r->comm = p->comm->handle;
	r->extra = p;
	return r;
}

struct ampi_plan *ampi_plan_new(const struct ampi_plan_call *call)
{
	struct vr_rank *me = vr_current;
	struct ampi_plan *p = vr_rank_calloc(me, 1, sizeof *p);
	if (!p)
		return NULL;
	p->stepper = (struct vr_stepper){.run = ampi_plan_run, .complete = ampi_plan_complete, .rank = me};
	p->rank = me;
	p->comm = call->caller.comm;
	p->fn = call->caller.fn;
	p->tag = call->tag;
	p->size = call->caller.size;
	p->steps = p->few;
	p->room = AMPI_PLAN_FEW;
	p->outer = outer_new(p, call);
	p->failed = !p->outer;
	p->comm->refs++;
	return p;
}

void ampi_plan_free(struct ampi_plan *p)
{
	ampi_plan_free_memory(p);
	for (uint32_t i = 0; i < p->ntypes; i++)
		vr_type_release(p->types[i], p->rank);
	vr_rank_free(p->rank, p->types);
	if (p->op.user)
		ampi_op_release((struct ampi_op *)p->op.user);
	ampi_comm_release(p->comm);
	if (p->steps != p->few)
		vr_rank_free(p->rank, p->steps);
	vr_rank_free(p->rank, p);
}

/* ---- launching ---- */

static void start(struct ampi_plan *p)
{
	p->error = 0;
	p->at = 0;
	p->batch = 0;
	if (p->more)
		p->n = 0;
	vr_stepper_ready(&p->stepper);
}

void ampi_plan_start(struct vr_request *r)
{
	r->flags = VR_RQ_PERSISTENT | VR_RQ_ACTIVE;
	r->error = 0;
	start(r->extra);
}

static int no_memory(struct ampi_plan *p, const struct ampi_plan_call *call)
{
	if (p) {
		if (p->outer)
			vr_request_free(p->outer);
		ampi_plan_free(p);
	}
	return ampi_raise(call->caller.comm, MPI_ERR_NO_MEM, call->caller.fn, "the rank's slice is full: see +slice");
}

static int raise(const struct ampi_caller *c, int klass)
{
	if (!klass)
		return MPI_SUCCESS;
	return ampi_raise(c->comm, klass, c->fn, klass == MPI_ERR_TRUNCATE ? "a member sent more than there is room for" : "no memory for a copy of the data: see +slice");
}

static int run_to_end(struct ampi_plan *p, const struct ampi_plan_call *call)
{
	struct vr_request *r = p->outer;
	start(p);
	if (!(r->flags & VR_RQ_DONE)) {
		vr_current->wait.fn = p->fn;
		vr_request_wait(&r, 1, 1);
	}
	int error = r->error;
	vr_request_free(r);
	ampi_plan_free(p);
	return raise(&call->caller, error);
}

int ampi_plan_launch(struct ampi_plan *p, const struct ampi_plan_call *call)
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
