/* The non-blocking collective calls (MPI 5.0 section 6.12). */
#include "ampi/coll/coll_forms.h"

#define WAY AMPI_NONBLOCKING
#define INFO

int ampi_Ibarrier(MPI_Comm comm, MPI_Request *request)
{
	return ampi_begin_barrier(WAY, AMPI_FN_MPI_Ibarrier, comm, request);
}

FORMS(BCAST, Ibcast)
FORMS(GATHER, Igather)
FORMS(GATHERV, Igatherv)
FORMS(SCATTER, Iscatter)
FORMS(SCATTERV, Iscatterv)
FORMS(ALLGATHER, Iallgather)
FORMS(ALLGATHERV, Iallgatherv)
FORMS(ALLTOALL, Ialltoall)
FORMS(ALLTOALLV, Ialltoallv)
FORMS(ALLTOALLW, Ialltoallw)
FORMS(REDUCE, Ireduce)
FORMS(ALLREDUCE, Iallreduce)
FORMS(REDUCE_SCATTER, Ireduce_scatter)
FORMS(REDUCE_SCATTER_BLOCK, Ireduce_scatter_block)
FORMS(SCAN, Iscan)
FORMS(EXSCAN, Iexscan)
