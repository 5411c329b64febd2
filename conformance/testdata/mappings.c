/* Prints how many memory mappings its worker has when all ranks have met. */
#include <mpi.h>
#include <stdio.h>

static int lines(const char *path)
{
	int n = 0, c;
	FILE *f = fopen(path, "r");

	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("mappings %d\n", lines("/proc/self/maps"));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
