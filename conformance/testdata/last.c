/* Asks to be saved in the last moment of its life. Arguments: microseconds until the first rank ends, and from one to the next. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0) {
		kill(getppid(), SIGUSR2);
		printf("PASS last\n");
	}
	MPI_Finalize();
	usleep(argc > 2 ? atoi(argv[1]) + rank * atoi(argv[2]) : 0);
	return 0;
}
