/* Rank 0 waits for a line of input; then each rank says so many lines, in pieces, on both streams. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, lines = atoi(argv[1]);
	char input[100] = "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0 && !fgets(input, sizeof input, stdin))
		return 1;
	MPI_Barrier(MPI_COMM_WORLD);
	for (int i = 0; i < lines; i++) {
		FILE *out = i % 2 ? stderr : stdout;
		fprintf(out, "rank %d ", rank);
		fflush(out);
		MPI_Barrier(MPI_COMM_WORLD);
		fprintf(out, "line %d.\n", i);
	}
	MPI_Finalize();
	return 0;
}
