/* Rounds of a few milliseconds in which ranks exchange what they have summed up: for jobs that are to be caught in the middle. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 100;
	double sum = 0, all = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++) {
		double mine = (sum + rank + 1) / (i + 3), from;
		MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, &from, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += from;
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		usleep(20000);
		if (rank == 0) {
			printf("round %d\n", i);
			fflush(stdout);
		}
	}
	if (rank == 0)
		printf("PASS steady %.17g\n", all);
	MPI_Finalize();
	return 0;
}
