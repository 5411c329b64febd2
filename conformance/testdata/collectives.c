/* One call of each kind of collective operation among the odd ones of six ranks, each kind with a size of its own. */
#include <mpi.h>

#define ROOT 1 /* rank 3 of the world */

static char in[100000], out[100000];

int main(int argc, char **argv)
{
	int rank, counts[3] = {1, 20, 300}, displs[3] = {0, 1000, 2000};
	MPI_Comm odd;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2 ? 1 : MPI_UNDEFINED, 0, &odd);
	if (odd != MPI_COMM_NULL) {
		MPI_Bcast(in, 50000, MPI_CHAR, ROOT, odd);
		MPI_Reduce(in, out, 7, MPI_CHAR, MPI_MAX, ROOT, odd);
		MPI_Allreduce(in, out, 11, MPI_CHAR, MPI_MAX, odd);
		MPI_Gather(in, 13, MPI_CHAR, out, 13, MPI_CHAR, ROOT, odd);
		MPI_Scatterv(in, counts, displs, MPI_CHAR, out, counts[rank / 2], MPI_CHAR, ROOT, odd);
		MPI_Allgather(in, 17, MPI_CHAR, out, 17, MPI_CHAR, odd);
		MPI_Alltoall(in, 20000, MPI_CHAR, out, 20000, MPI_CHAR, odd);
		MPI_Reduce_scatter_block(in, out, 19, MPI_CHAR, MPI_MAX, odd);
		MPI_Scan(in, out, 23, MPI_CHAR, MPI_MAX, odd);
		MPI_Barrier(odd);
		MPI_Comm_free(&odd);
	}
	MPI_Finalize();
	return 0;
}
