/* The reduction calls (MPI 5.0 sections 6.9 and 6.10): who gets which part of the result. */
#include "ampi/coll/reduce_sched.h"

/* ---- reduce ---- */

static int reduce(int fn, const struct ampi_reduce_args *a, MPI_Comm comm)
{
	struct ampi_reduction r;
	int error = ampi_shm_coll_open_either(&r.m, fn, comm);
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_reduce(AMPI_BLOCKING, fn, a, comm, NULL) : error;
	if ((error = ampi_check_reduce(&r.m.caller, &r.operands, a)))
		return error;
	r.all_receive = 0;
	ampi_reduction_begin(&r, AMPI_COLL_REDUCE, a->op, a->root);
	ampi_reduction_run(&r);
	if (r.m.rank == a->root)
		ampi_reduction_take(&r, 0, r.count);
	return ampi_shm_coll_end(&r.m);
}

int ampi_Reduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	return reduce(AMPI_FN_MPI_Reduce, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, root), comm);
}

int ampi_Reduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, int root, MPI_Comm comm)
{
	return reduce(AMPI_FN_MPI_Reduce_c, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, root), comm);
}

/* ---- allreduce ---- */

static int allreduce(int fn, const struct ampi_reduce_args *a, MPI_Comm comm)
{
	struct ampi_reduction r;
	int error = ampi_shm_coll_open_either(&r.m, fn, comm);
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_allreduce(AMPI_BLOCKING, fn, a, comm, NULL) : error;
	if ((error = ampi_check_allreduce(&r.m.caller, &r.operands, a)))
		return error;
	r.all_receive = 1;
	ampi_reduction_begin(&r, AMPI_COLL_ALLREDUCE, a->op, -1);
	ampi_reduction_run(&r);
	ampi_reduction_take(&r, 0, r.count);
	return ampi_shm_coll_end(&r.m);
}

int ampi_Allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return allreduce(AMPI_FN_MPI_Allreduce, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, -1), comm);
}

int ampi_Allreduce_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return allreduce(AMPI_FN_MPI_Allreduce_c, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, -1), comm);
}

/* ---- reduce-scatter: every member takes its stretch of the result, to where its receive buffer begins, also in place ---- */

static int reduce_scatter(int fn, const struct ampi_reduce_args *a, MPI_Comm comm)
{
	struct ampi_reduction r;
	int64_t before, mine;
	int error = ampi_shm_coll_open_either(&r.m, fn, comm);
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_reduce_scatter(AMPI_BLOCKING, fn, a, comm, NULL) : error;
	if ((error = ampi_check_reduce_scatter(&r.m.caller, &r.operands, a, &before, &mine)))
		return error;
	r.all_receive = 0;
	ampi_reduction_begin(&r, AMPI_COLL_REDUCE_SCATTER, a->op, -1);
	ampi_reduction_run(&r);
	ampi_reduction_take(&r, before, mine);
	return ampi_shm_coll_end(&r.m);
}

int ampi_Reduce_scatter(const void *sendbuf, void *recvbuf, const int recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return reduce_scatter(AMPI_FN_MPI_Reduce_scatter, &AMPI_REDUCTION_PARTS(sendbuf, recvbuf, recvcounts, datatype, op), comm);
}

int ampi_Reduce_scatter_c(const void *sendbuf, void *recvbuf, const MPI_Count recvcounts[], MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return reduce_scatter(AMPI_FN_MPI_Reduce_scatter_c, &AMPI_REDUCTION_PARTS(sendbuf, recvbuf, recvcounts, datatype, op), comm);
}

int ampi_Reduce_scatter_block(const void *sendbuf, void *recvbuf, int recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return reduce_scatter(AMPI_FN_MPI_Reduce_scatter_block, &AMPI_REDUCTION(sendbuf, recvbuf, recvcount, datatype, op, -1), comm);
}

int ampi_Reduce_scatter_block_c(const void *sendbuf, void *recvbuf, MPI_Count recvcount, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return reduce_scatter(AMPI_FN_MPI_Reduce_scatter_block_c, &AMPI_REDUCTION(sendbuf, recvbuf, recvcount, datatype, op, -1), comm);
}

/* ---- local ---- */

static int reduce_local(int fn, const void *in, void *inout, const struct ampi_reduce_args *a)
{
	struct ampi_caller c = {.fn = fn};
	struct ampi_operands o;
	int error = ampi_check_running(fn);
	if (error || (error = ampi_check_operand(&c, &o, "inbuf", in, a)) || (error = ampi_check_operand(&c, &o, "inoutbuf", inout, a)))
		return error;
	if (in == inout && in && a->count)
		return ampi_raise(NULL, MPI_ERR_BUFFER, fn, "inbuf and inoutbuf are the same");
	if (a->count)
		ampi_reducer_apply(&o.op, in, inout, a->count);
	return MPI_SUCCESS;
}

int ampi_Reduce_local(const void *inbuf, void *inoutbuf, int count, MPI_Datatype datatype, MPI_Op op)
{
	return reduce_local(AMPI_FN_MPI_Reduce_local, inbuf, inoutbuf, &AMPI_REDUCTION(inbuf, inoutbuf, count, datatype, op, -1));
}

int ampi_Reduce_local_c(const void *inbuf, void *inoutbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op)
{
	return reduce_local(AMPI_FN_MPI_Reduce_local_c, inbuf, inoutbuf, &AMPI_REDUCTION(inbuf, inoutbuf, count, datatype, op, -1));
}
