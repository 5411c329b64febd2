/* Non-blocking duplication (MPI 5.0 section 7.4.2): rank 0 makes the team at once, a schedule carries its address to the others. The
 * handle is there at once; the communicator is when the request is complete. */
#include "ampi/coll/sched.h"
#include "ampi/comm/comm_make.h"

/* What a schedule of this kind works on, in memory of the schedule. */
struct birth {
	struct ampi_comm *child;
	struct ampi_place own, other; /* for this group and for the remote one */
};

/* Of an intercommunicator's groups, one makes both teams. */
static int is_maker(const struct ampi_comm *c)
{
	return !c->is_inter || c->team < c->remote_team;
}

static int make_one(const struct ampi_comm *c, struct ampi_place *own)
{
	/* The team of MPI_COMM_SELF is one for all ranks of a worker. */
	const int32_t self = vr_current->id, *world = c == &ampi_me()->self ? &self : c->team->world;
	own->team = ampi_team_make(world, c->size, ampi_context_new());
	return own->team ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

static int make_two(const struct ampi_comm *c, struct ampi_place *own)
{
	struct ampi_team *team[2] = {NULL, NULL};
	const int32_t *const world[2] = {c->team->world, c->remote_world};
	int error = ampi_team_make_pair(world, (int32_t[]){c->size, c->remote_size}, ampi_context_new(), team);
	own->team = team[0];
	own->remote = team[1];
	return error ? MPI_ERR_NO_MEM : MPI_SUCCESS;
}

static void make(const struct ampi_comm *c, struct birth *b)
{
	b->own.error = c->is_inter ? make_two(c, &b->own) : make_one(c, &b->own);
	b->other = (struct ampi_place){.error = b->own.error, .team = b->own.remote, .remote = b->own.team};
}

static void tell_all(struct ampi_sched *p, struct birth *b)
{
	for (int i = 1; i < p->size; i++)
		ampi_sched_send(p, i, &b->own, sizeof b->own, ampi_bytes());
	for (int i = 0; p->comm->is_inter && i < p->comm->remote_size; i++)
		ampi_sched_send_across(p, i, &b->other, sizeof b->other, ampi_bytes());
}

/* Batch 0 is the messages; batch 1 comes when they are there. */
static int give_birth(struct ampi_sched *p)
{
	struct birth *b = p->state;
	if (p->batch) {
		b->own.rank = p->comm->rank;
		p->error = p->error ? p->error : b->own.error;
		if (!p->error)
			ampi_comm_adopt(b->child, &b->own);
		return 0;
	}
	if (!is_maker(p->comm))
		ampi_sched_recv_across(p, 0, &b->own, sizeof b->own, ampi_bytes());
	else if (p->comm->rank)
		ampi_sched_recv(p, 0, &b->own, sizeof b->own, ampi_bytes());
	else
		tell_all(p, b);
	return 1;
}

static int launch(struct ampi_sched_call *call, struct ampi_comm *child)
{
	struct ampi_sched *p = ampi_sched_new(call);
	struct birth *b = p ? ampi_sched_alloc(p, sizeof *b) : NULL;
	if (b) {
		*b = (struct birth){.child = child};
		if (is_maker(p->comm) && !p->comm->rank)
			make(p->comm, b);
		p->state = b;
		p->more = give_birth;
	}
	return ampi_sched_launch(p, call);
}

/* A member whose copy functions fail takes part to the end, so that the others get what they wait for. */
static int idup(int fn, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
	struct ampi_sched_call call;
	int error = ampi_sched_call_open(&call, AMPI_NONBLOCKING, fn, comm, request);
	if (error)
		return error;
	struct ampi_comm *parent = call.caller.comm;
	if (!newcomm)
		return ampi_null(parent, fn, "newcomm");
	*newcomm = MPI_COMM_NULL;
	if (parent->is_inter == AMPI_UNBORN)
		return ampi_check_intra(parent, fn);
	struct ampi_comm *child = ampi_comm_conceive(parent);
	if (!child)
		return ampi_no_memory(parent, fn);
	error = ampi_comm_inherit(parent, fn, child, info);
	if (error)
		call.way = AMPI_BLOCKING;
	int failed = launch(&call, child);
	if (error || failed) {
		ampi_comm_discard(child, fn);
		return error ? error : failed;
	}
	*newcomm = (MPI_Comm)(uint64_t)child->handle;
	return MPI_SUCCESS;
}

int ampi_Comm_idup(MPI_Comm comm, MPI_Comm *newcomm, MPI_Request *request)
{
	return idup(AMPI_FN_MPI_Comm_idup, comm, MPI_INFO_NULL, newcomm, request);
}

int ampi_Comm_idup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm, MPI_Request *request)
{
	return idup(AMPI_FN_MPI_Comm_idup_with_info, comm, info, newcomm, request);
}
