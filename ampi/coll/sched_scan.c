/* Prefix reductions as schedules (MPI 5.0 section 6.11): in round k every member passes what it has, the product of the 2^k members that
 * end with it, to the one 2^k further. Left operands are always of lower ranks. */
#include "ampi/coll/reduce_sched.h"
#include "ampi/coll/sched_tree.h"

/* acc holds this member's contribution, and in the end the product of all up to it. */
static void prefix(struct ampi_sched *p, char *acc, int64_t count)
{
	const struct vr_type *type = p->op.type;
	int rank = p->comm->rank;
	ampi_sched_exact(p);
	char *lower = rank ? ampi_sched_vector(p, count) : NULL;
	for (int far = 1; far < p->size; far <<= 1) {
		if (rank >= far)
			ampi_sched_recv(p, rank - far, lower, count, type);
		if (rank + far < p->size)
			ampi_sched_send(p, rank + far, acc, count, type);
		if (rank >= far)
			ampi_sched_reduce(p, lower, acc, count);
	}
}

static void scan(struct ampi_sched *p, const struct ampi_operands *o)
{
	if (o->send != o->recv)
		ampi_sched_copy(p, o->recv, o->count, o->op.type, o->send, o->count, o->op.type);
	prefix(p, o->recv, o->count);
}

static void exscan(struct ampi_sched *p, const struct ampi_operands *o)
{
	const struct vr_type *type = o->op.type;
	int rank = p->comm->rank;
	char *acc = ampi_sched_vector(p, o->count);
	ampi_sched_copy(p, acc, o->count, type, o->send, o->count, type);
	prefix(p, acc, o->count);
	ampi_sched_wait(p);
	if (rank)
		ampi_sched_recv(p, rank - 1, o->recv, o->count, type);
	if (rank + 1 < p->size)
		ampi_sched_send(p, rank + 1, acc, o->count, type);
}

static int begin(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request,
		 void (*build)(struct ampi_sched *p, const struct ampi_operands *o))
{
	struct ampi_sched_call call;
	struct ampi_operands o;
	int error;
	if ((error = ampi_sched_call_open(&call, way, fn, comm, request)) || (error = ampi_check_intra(call.caller.comm, fn)) ||
	    (error = ampi_check_allreduce(&call.caller, &o, a)))
		return error;
	struct ampi_sched *p = ampi_sched_new(&call);
	if (p) {
		ampi_sched_hold_op(p, &o.op);
		ampi_sched_hold_type(p, o.op.type);
		build(p, &o);
	}
	return ampi_sched_launch(p, &call);
}

int ampi_begin_scan(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request)
{
	return begin(way, fn, a, comm, request, scan);
}

int ampi_begin_exscan(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request)
{
	return begin(way, fn, a, comm, request, exscan);
}
