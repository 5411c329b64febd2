/* The entry points of the collective calls that make schedules, as macros: the non-blocking and the persistent ones, in both of their
 * forms, differ only in their name, in the types of counts and displacements, and in an MPI_Info. Who includes this defines WAY, of
 * enum ampi_way, and INFO, the parameter after the communicator with its comma, or nothing. */
#ifndef AMPI_COLL_FORMS_H
#define AMPI_COLL_FORMS_H

#include "ampi/coll/coll_sched.h"
#include "ampi/coll/reduce_sched.h"

#define FORMS(DEFINE, NAME) DEFINE(NAME, int, int) DEFINE(NAME##_c, MPI_Count, MPI_Aint)

#define BEGIN(what, NAME, KIND, ARGS)                                                                                               \
	{                                                                                                                             \
		struct KIND args = ARGS;                                                                                              \
		return ampi_begin_##what(WAY, AMPI_FN_MPI_##NAME, &args, comm, request);                                              \
	}

/* ---- moving data ---- */

#define BCAST(NAME, COUNT, DISPL)                                                                                                   \
	int ampi_##NAME(void *buffer, COUNT count, MPI_Datatype datatype, int root, MPI_Comm comm INFO, MPI_Request *request)         \
	BEGIN(bcast, NAME, ampi_exchange, AMPI_BUFFER(buffer, count, datatype, root))

#define ROOTED(what, NAME, COUNT)                                                                                                   \
	int ampi_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount,                  \
			MPI_Datatype recvtype, int root, MPI_Comm comm INFO, MPI_Request *request)                                    \
	BEGIN(what, NAME, ampi_exchange, AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root))
#define GATHER(NAME, COUNT, DISPL) ROOTED(gather, NAME, COUNT)
#define SCATTER(NAME, COUNT, DISPL) ROOTED(scatter, NAME, COUNT)

#define GATHERV(NAME, COUNT, DISPL)                                                                                                 \
	int ampi_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[],         \
			const DISPL displs[], MPI_Datatype recvtype, int root, MPI_Comm comm INFO, MPI_Request *request)              \
	BEGIN(gather, NAME, ampi_exchange, AMPI_TO_MANY(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root))

#define SCATTERV(NAME, COUNT, DISPL)                                                                                                \
	int ampi_##NAME(const void *sendbuf, const COUNT sendcounts[], const DISPL displs[], MPI_Datatype sendtype, void *recvbuf,    \
			COUNT recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm INFO, MPI_Request *request)                   \
	BEGIN(scatter, NAME, ampi_exchange, AMPI_FROM_MANY(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root))

#define UNROOTED(what, NAME, COUNT)                                                                                                 \
	int ampi_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount,                  \
			MPI_Datatype recvtype, MPI_Comm comm INFO, MPI_Request *request)                                              \
	BEGIN(what, NAME, ampi_exchange, AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, -1))
#define ALLGATHER(NAME, COUNT, DISPL) UNROOTED(allgather, NAME, COUNT)
#define ALLTOALL(NAME, COUNT, DISPL) UNROOTED(alltoall, NAME, COUNT)

#define ALLGATHERV(NAME, COUNT, DISPL)                                                                                              \
	int ampi_##NAME(const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, const COUNT recvcounts[],         \
			const DISPL displs[], MPI_Datatype recvtype, MPI_Comm comm INFO, MPI_Request *request)                        \
	BEGIN(allgather, NAME, ampi_exchange, AMPI_TO_MANY(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, -1))

#define ALLTOALLV(NAME, COUNT, DISPL)                                                                                               \
	int ampi_##NAME(const void *sendbuf, const COUNT sendcounts[], const DISPL sdispls[], MPI_Datatype sendtype, void *recvbuf,   \
			const COUNT recvcounts[], const DISPL rdispls[], MPI_Datatype recvtype, MPI_Comm comm INFO,                   \
			MPI_Request *request)                                                                                         \
	BEGIN(alltoall, NAME, ampi_exchange,                                                                                          \
	      AMPI_MANY(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype))

#define ALLTOALLW(NAME, COUNT, DISPL)                                                                                               \
	int ampi_##NAME(const void *sendbuf, const COUNT sendcounts[], const DISPL sdispls[], const MPI_Datatype sendtypes[],         \
			void *recvbuf, const COUNT recvcounts[], const DISPL rdispls[], const MPI_Datatype recvtypes[],               \
			MPI_Comm comm INFO, MPI_Request *request)                                                                     \
	BEGIN(alltoall, NAME, ampi_exchange,                                                                                          \
	      AMPI_MIXED(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes))

/* ---- reducing ---- */

#define REDUCE(NAME, COUNT, DISPL)                                                                                                  \
	int ampi_##NAME(const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, int root,                  \
			MPI_Comm comm INFO, MPI_Request *request)                                                                     \
	BEGIN(reduce, NAME, ampi_reduce_args, AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, root))

#define COMBINE(what, NAME, COUNT)                                                                                                  \
	int ampi_##NAME(const void *sendbuf, void *recvbuf, COUNT count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm INFO,        \
			MPI_Request *request)                                                                                         \
	BEGIN(what, NAME, ampi_reduce_args, AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, -1))
#define ALLREDUCE(NAME, COUNT, DISPL) COMBINE(allreduce, NAME, COUNT)
#define SCAN(NAME, COUNT, DISPL) COMBINE(scan, NAME, COUNT)
#define EXSCAN(NAME, COUNT, DISPL) COMBINE(exscan, NAME, COUNT)
#define REDUCE_SCATTER_BLOCK(NAME, COUNT, DISPL) COMBINE(reduce_scatter, NAME, COUNT)

#define REDUCE_SCATTER(NAME, COUNT, DISPL)                                                                                          \
	int ampi_##NAME(const void *sendbuf, void *recvbuf, const COUNT recvcounts[], MPI_Datatype datatype, MPI_Op op,               \
			MPI_Comm comm INFO, MPI_Request *request)                                                                     \
	BEGIN(reduce_scatter, NAME, ampi_reduce_args, AMPI_REDUCTION_PARTS(sendbuf, recvbuf, recvcounts, datatype, op))

#endif
