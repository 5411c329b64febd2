/* The persistent collective calls (MPI 5.0 section 6.13). No hint of the standard changes what they do. */
#include "ampi/coll/coll_forms.h"

#define WAY AMPI_PERSISTENT
#define INFO , MPI_Info info __attribute__((unused))

int ampi_Barrier_init(MPI_Comm comm INFO, MPI_Request *request)
{
	return ampi_begin_barrier(WAY, AMPI_FN_MPI_Barrier_init, comm, request);
}

FORMS(BCAST, Bcast_init)
FORMS(GATHER, Gather_init)
FORMS(GATHERV, Gatherv_init)
FORMS(SCATTER, Scatter_init)
FORMS(SCATTERV, Scatterv_init)
FORMS(ALLGATHER, Allgather_init)
FORMS(ALLGATHERV, Allgatherv_init)
FORMS(ALLTOALL, Alltoall_init)
FORMS(ALLTOALLV, Alltoallv_init)
FORMS(ALLTOALLW, Alltoallw_init)
FORMS(REDUCE, Reduce_init)
FORMS(ALLREDUCE, Allreduce_init)
FORMS(REDUCE_SCATTER, Reduce_scatter_init)
FORMS(REDUCE_SCATTER_BLOCK, Reduce_scatter_block_init)
FORMS(SCAN, Scan_init)
FORMS(EXSCAN, Exscan_init)
