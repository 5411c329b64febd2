/* Treats the heap badly: the argument says how. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank;

/* Allocate until there is no more, give it back, and allocate again. */
static void fill(void)
{
	void **chain = NULL, **block;
	int n = 0;

	for (; n < 100000 && (block = malloc(1 << 20)); n++) {
		*block = chain;
		chain = block;
	}
	for (; chain; chain = block) {
		block = *chain;
		free(chain);
	}
	block = malloc(100 << 20);
	printf("rank %d: %s, then %s\n", rank, n < 100000 ? "full" : "endless", block ? "room again" : "still full");
}

static void overrun(void)
{
	char *volatile block = malloc(20);

	block[20] = 1;
	free(block);
}

static void free_twice(void)
{
	char *volatile block = malloc(20);

	free(block);
	free(block);
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (strcmp(kind, "fill") == 0)
		fill();
	else if (strcmp(kind, "overrun") == 0 && rank == 1)
		overrun();
	else if (strcmp(kind, "double") == 0 && rank == 1)
		free_twice();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
