/* Passes a number round the ring, rank by rank; rank r sends r + 1 messages more while the tool is told not to look. */
#include <mpi.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int rank, size, value = 5, echo = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i <= rank; i++) {
		MPI_Request request;
		MPI_Irecv(&echo, 1, MPI_INT, 0, i, MPI_COMM_SELF, &request);
		MPI_Send(&value, 1, MPI_INT, 0, i, MPI_COMM_SELF);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
	MPI_Pcontrol(0);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Pcontrol(1);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return echo != value;
}
