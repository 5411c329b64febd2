/* Prints the PE of each rank, as its environment says; ranks of one PE share a process. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, size, pe, all[64];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	pe = atoi(getenv("AMPI_PE"));
	if (rank == atoi(getenv("AMPI_PE_FIRST_RANK")) && rank > 0 && pe == 0)
		pe = -1;
	MPI_Gather(&pe, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
	for (int i = 0; rank == 0 && i < size; i++)
		printf("%d%c", all[i], i < size - 1 ? ' ' : '\n');
	MPI_Finalize();
	return 0;
}
