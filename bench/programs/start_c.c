/* start_c [workers]: hello, and then what the ranks of a worker have cost so far. */
#include <mpi.h>

#include "start.h"

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("Hello from rank %d of %d\n", rank, size);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		start_print((double)size / sample_argument(argc, argv, 1, 1));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
