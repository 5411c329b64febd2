/* Which arguments of a reduction matter in which member (MPI 5.0 sections 6.9 to 6.11), and whether they are right. The same for blocking
 * calls, in shared memory, and for those that make schedules. */
#include "ampi/coll/reduce_call.h"

int ampi_check_operand(struct ampi_caller *c, struct ampi_operands *o, const char *name, const void *send, const struct ampi_reduce_args *a)
{
	const struct ampi_names names = {name, "count", "datatype"};
	const struct vr_type *type;
	int error;
	o->send = send;
	o->recv = a->recv;
	o->count = a->count;
	if ((error = ampi_check_data(c, &names, send, a->count, a->datatype, &type)))
		return error;
	return ampi_reducer_open(&o->op, c->comm, c->fn, a->op, a->datatype, type);
}

static int check_recv(struct ampi_caller *c, const struct ampi_operands *o)
{
	if (o->recv == MPI_IN_PLACE)
		return ampi_no_in_place(c, "recvbuf", "only sendbuf may be");
	if (!o->recv && o->count && (o->op.type->flags & VR_TYPE_PREDEFINED))
		return ampi_raise(c->comm, MPI_ERR_BUFFER, c->fn, "recvbuf is a null pointer");
	return MPI_SUCCESS;
}

int ampi_check_allreduce(struct ampi_caller *c, struct ampi_operands *o, const struct ampi_reduce_args *a)
{
	int in_place = a->send == MPI_IN_PLACE && !c->comm->is_inter;
	int error = ampi_check_operand(c, o, in_place ? "recvbuf" : "sendbuf", in_place ? a->recv : a->send, a);
	if (error || (error = check_recv(c, o)))
		return error;
	return in_place ? MPI_SUCCESS : ampi_check_alias(c, a->send, a->count, a->recv, a->count);
}

int ampi_check_reduce(struct ampi_caller *c, struct ampi_operands *o, const struct ampi_reduce_args *a)
{
	int error = ampi_check_root(c, a->root);
	if (error)
		return error;
	switch (ampi_role(c, a->root)) {
	case AMPI_ROOT:
		return c->comm->is_inter ? ampi_check_operand(c, o, "recvbuf", a->recv, a) : ampi_check_allreduce(c, o, a);
	case AMPI_MEMBER:
		if (a->send == MPI_IN_PLACE)
			return ampi_no_in_place(c, "sendbuf", "only the root may pass");
		return ampi_check_operand(c, o, "sendbuf", a->send, a);
	case AMPI_ASIDE:
		break;
	}
	return MPI_SUCCESS;
}

int64_t ampi_reduce_part(const struct ampi_reduce_args *a, int i)
{
	const struct ampi_layout l = {.count = a->count, .counts = a->counts, .wide = a->wide};
	return ampi_layout_count(&l, i);
}

int ampi_check_reduce_scatter(struct ampi_caller *c, struct ampi_operands *o, const struct ampi_reduce_args *a, int64_t *before, int64_t *mine)
{
	struct ampi_reduce_args whole = *a;
	int error;
	whole.count = *before = 0;
	if (!a->counts && (error = ampi_check_count(c, "recvcount", a->count)))
		return error;
	for (int i = 0; i < c->size; i++) {
		int64_t count = ampi_reduce_part(a, i);
		if (count < 0)
			return ampi_raise(c->comm, MPI_ERR_COUNT, c->fn, "recvcounts[%d] is %lld", i, (long long)count);
		if (i == c->rank)
			*before = whole.count;
		whole.count += count;
	}
	*mine = ampi_reduce_part(a, c->rank);
	return ampi_check_allreduce(c, o, &whole);
}
