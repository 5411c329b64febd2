/* Everybody waits for rank 0, which sleeps, computes, and waits for a child process before it sends. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int rank, size, value;

static void meet(void)
{
	if (rank == 0)
		for (int r = 1; r < size; r++)
			MPI_Send(&value, 1, MPI_INT, r, 1, MPI_COMM_WORLD);
	else
		MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(double seconds)
{
	double end = MPI_Wtime() + seconds;

	while (MPI_Wtime() < end)
		value++;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (rank == 0)
		usleep(1500000);
	meet();
	if (rank == 0)
		compute(1.0);
	meet();
	if (rank == 0 && system("sleep 1") != 0)
		MPI_Abort(MPI_COMM_WORLD, 1);
	meet();
	if (rank == 0)
		printf("PASS late\n");
	MPI_Finalize();
	return 0;
}
