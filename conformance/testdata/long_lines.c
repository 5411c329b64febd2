/* Every rank prints a line of as many letters as the argument says, in pieces, and ends without a newline. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	int rank, length = argc > 1 ? atoi(argv[1]) : 10;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < length; i++) {
		putchar('a' + rank);
		if (i % 1000 == 0)
			fflush(stdout);
		if (i % 50000 == 0)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	printf("\ntail");
	MPI_Finalize();
	return 0;
}
