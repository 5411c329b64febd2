/* move MEGABYTES BATCHES: microseconds until a rank that goes to the other PE runs there, with so much heap, for each batch of 100 moves;
 * the first two moves, which map its images there, are not among them. Then microseconds of its first touch of each page of the heap
 * after a move to where it has never been touched. Rank 0 prints; needs two PEs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double touch(char *p, size_t n)
{
	double t = MPI_Wtime();
	for (size_t i = 0; i < n; i += 4096)
		p[i]++;
	return 1e6 * (MPI_Wtime() - t);
}

int main(int argc, char **argv)
{
	int rank, to = 1;
	size_t n = (argc > 1 ? atoi(argv[1]) : 1) * (size_t)1048576;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		char *p = malloc(n);
		memset(p, 1, n);
		AMPI_Migrate_to_pe(1);
		double first = touch(p, n);
		AMPI_Migrate_to_pe(0);
		for (int b = argc > 2 ? atoi(argv[2]) : 5; b > 0; b--) {
			double t = MPI_Wtime();
			for (int i = 0; i < 100; i++, to = !to)
				AMPI_Migrate_to_pe(to);
			printf("move %.2f\n", 1e6 * (MPI_Wtime() - t) / 100);
		}
		printf("touch %.2f\n", first);
		free(p);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
