/* The reduction calls (MPI 5.0 sections 6.9 and 6.10): arguments, and who gets which part of the result. */
#include "reduce_call.h"

static int check_named(struct ampi_reduction *r, const char *name, const void *send, void *recv, int64_t count, MPI_Datatype datatype,
		       MPI_Op op)
{
	const struct ampi_names names = {name, "count", "datatype"};
	const struct vr_type *type;
	int error;
	r->send = send;
	r->recv = recv;
	r->count = count;
	if ((error = ampi_check_data(&r->m.caller, &names, send, count, datatype, &type)))
		return error;
	return ampi_reducer_open(&r->op, r->m.comm, r->m.fn, op, datatype, type);
}

int ampi_reduction_check(struct ampi_reduction *r, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op)
{
	return check_named(r, "sendbuf", send, recv, count, datatype, op);
}

static int check_recv(struct ampi_reduction *r)
{
	if (r->recv == MPI_IN_PLACE)
		return ampi_no_in_place(&r->m.caller, "recvbuf", "only sendbuf may be");
	if (!r->recv && r->count && (r->op.type->flags & VR_TYPE_PREDEFINED))
		return ampi_raise(r->m.comm, MPI_ERR_BUFFER, r->m.fn, "recvbuf is a null pointer");
	return MPI_SUCCESS;
}

int ampi_reduction_check_both(struct ampi_reduction *r, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op)
{
	int error;
	if (send == MPI_IN_PLACE)
		error = check_named(r, "recvbuf", recv, recv, count, datatype, op);
	else
		error = ampi_reduction_check(r, send, recv, count, datatype, op);
	if (error || (error = check_recv(r)))
		return error;
	return send == MPI_IN_PLACE ? MPI_SUCCESS : ampi_check_alias(&r->m.caller, send, count, recv, count);
}

/* ---- reduce ---- */

static int check_reduce(struct ampi_reduction *r, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op, int root)
{
	int error = ampi_check_root(&r->m.caller, root);
	if (error)
		return error;
	if (r->m.rank == root)
		return ampi_reduction_check_both(r, send, recv, count, datatype, op);
	if (send == MPI_IN_PLACE)
		return ampi_no_in_place(&r->m.caller, "sendbuf", "only the root may pass");
	return ampi_reduction_check(r, send, NULL, count, datatype, op);
}

static int reduce(int fn, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	struct ampi_reduction r;
	int error;
	if ((error = ampi_meet_open(&r.m, fn, comm)) || (error = check_reduce(&r, send, recv, count, datatype, op, root)))
		return error;
	r.root = root;
	r.all_receive = 0;
	ampi_meet_begin(&r.m, AMPI_COLL_REDUCE, root, count * r.op.type->size);
	ampi_reduction_run(&r);
	if (r.m.rank == root)
		ampi_reduction_take(&r, 0, count);
	return ampi_meet_end(&r.m);
}

int ampi_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	return reduce(AMPI_FN_MPI_Reduce, sendbuf, recvbuf, count, datatype, op, root, comm);
}

int ampi_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	return reduce(AMPI_FN_MPI_Reduce_c, sendbuf, recvbuf, count, datatype, op, root, comm);
}

/* ---- allreduce ---- */

static int allreduce(int fn, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct ampi_reduction r;
	int error;
	if ((error = ampi_meet_open(&r.m, fn, comm)) || (error = ampi_reduction_check_both(&r, send, recv, count, datatype, op)))
		return error;
	r.root = -1;
	r.all_receive = 1;
	ampi_meet_begin(&r.m, AMPI_COLL_ALLREDUCE, -1, count * r.op.type->size);
	ampi_reduction_run(&r);
	ampi_reduction_take(&r, 0, count);
	return ampi_meet_end(&r.m);
}

int ampi_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return allreduce(AMPI_FN_MPI_Allreduce, sendbuf, recvbuf, count, datatype, op, comm);
}

int ampi_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return allreduce(AMPI_FN_MPI_Allreduce_c, sendbuf, recvbuf, count, datatype, op, comm);
}

/* ---- reduce-scatter: every member takes its stretch of the result ---- */

static int reduce_scatter(struct ampi_reduction *r, const void *send, void *recv, int64_t total, int64_t before, int64_t mine,
			  MPI_Datatype datatype, MPI_Op op)
{
	int error = ampi_reduction_check_both(r, send, recv, total, datatype, op);
	if (error)
		return error;
	r->root = -1;
	r->all_receive = 0;
	ampi_meet_begin(&r->m, AMPI_COLL_REDUCE_SCATTER, -1, total * r->op.type->size);
	ampi_reduction_run(r);
	ampi_reduction_take(r, before, mine);
	return ampi_meet_end(&r->m);
}

static int by_counts(int fn, const void *send, void *recv, const void *counts, int wide, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct ampi_reduction r;
	struct ampi_layout l = {.counts = counts, .wide = wide};
	int64_t total = 0, before = 0;
	int error = ampi_meet_open(&r.m, fn, comm);
	if (error)
		return error;
	for (int i = 0; i < r.m.size; i++) {
		int64_t count = ampi_layout_count(&l, i);
		if (count < 0)
			return ampi_raise(r.m.comm, MPI_ERR_COUNT, fn, "recvcounts[%d] is %lld", i, (long long)count);
		if (i == r.m.rank)
			before = total;
		total += count;
	}
	return reduce_scatter(&r, send, recv, total, before, ampi_layout_count(&l, r.m.rank), datatype, op);
}

static int by_block(int fn, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	struct ampi_reduction r;
	int error;
	if ((error = ampi_meet_open(&r.m, fn, comm)) || (error = ampi_check_count(&r.m.caller, "recvcount", count)))
		return error;
	return reduce_scatter(&r, send, recv, count * r.m.size, count * r.m.rank, count, datatype, op);
}

int ampi_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return by_counts(AMPI_FN_MPI_Reduce_scatter, sendbuf, recvbuf, recvcounts, 0, datatype, op, comm);
}

int ampi_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return by_counts(AMPI_FN_MPI_Reduce_scatter_c, sendbuf, recvbuf, recvcounts, 1, datatype, op, comm);
}

int ampi_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return by_block(AMPI_FN_MPI_Reduce_scatter_block, sendbuf, recvbuf, recvcount, datatype, op, comm);
}

int ampi_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return by_block(AMPI_FN_MPI_Reduce_scatter_block_c, sendbuf, recvbuf, recvcount, datatype, op, comm);
}

/* ---- local ---- */

static int reduce_local(int fn, const void *in, void *inout, int64_t count, MPI_Datatype datatype, MPI_Op op)
{
	struct ampi_reduction r = {.m = {.caller = {.fn = fn}}};
	int error;
	if ((error = check_named(&r, "inbuf", in, inout, count, datatype, op)) ||
	    (error = check_named(&r, "inoutbuf", inout, inout, count, datatype, op)))
		return error;
	if (in == inout && in && count)
		return ampi_raise(NULL, MPI_ERR_BUFFER, fn, "inbuf and inoutbuf are the same");
	if (count)
		ampi_reducer_apply(&r.op, in, inout, count);
	return MPI_SUCCESS;
}

int ampi_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
	return reduce_local(AMPI_FN_MPI_Reduce_local, inbuf, inoutbuf, count, datatype, op);
}

int ampi_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
	return reduce_local(AMPI_FN_MPI_Reduce_local_c, inbuf, inoutbuf, count, datatype, op);
}
