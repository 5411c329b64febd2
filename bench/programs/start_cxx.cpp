// start_c in C++, with its streams.
#include <mpi.h>

#include <iostream>

#include "start.h"

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	std::cout << "Hello from rank " << rank << " of " << size << std::endl;
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		start_print((double)size / sample_argument(argc, argv, 1, 1));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
}
