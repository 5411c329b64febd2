/* Do a barrier, a ring, an allreduce and an all-to-all work among as many ranks as there are? */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size;

static void check(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "FAIL rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A token that every rank adds itself to goes round once. */
static void ring(void)
{
	long token = 0, want = (long)size * (size - 1) / 2;
	int right = (rank + 1) % size, left = (rank + size - 1) % size;

	if (rank > 0)
		MPI_Recv(&token, 1, MPI_LONG, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	token += rank;
	MPI_Send(&token, 1, MPI_LONG, right, 1, MPI_COMM_WORLD);
	if (rank == 0) {
		MPI_Recv(&token, 1, MPI_LONG, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		check(token == want, "the token's sum");
	}
}

static void all_to_all(void)
{
	short *out = malloc(2 * size), *in = malloc(2 * size);

	for (int r = 0; r < size; r++)
		out[r] = (short)(rank * 7 + r);
	MPI_Alltoall(out, 1, MPI_SHORT, in, 1, MPI_SHORT, MPI_COMM_WORLD);
	for (int r = 0; r < size; r++)
		check(in[r] == (short)(r * 7 + rank), "the all-to-all");
	free(out);
	free(in);
}

int main(int argc, char **argv)
{
	double sum, mine;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	ring();
	mine = rank + 0.5;
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	check(sum == size * (double)size / 2, "the sum");
	all_to_all();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("PASS thousands of %d\n", size);
	MPI_Finalize();
	return 0;
}
