/* collective OPERATION ITERATIONS BATCHES: time of one collective call on all ranks, for each batch, as rank 0 sees it.
 * OPERATION is barrier, allreduce (one double) or alltoall (8 bytes to each rank). */
#include <mpi.h>
#include <string.h>

#include "sample.h"

static int rank, size;
static long *to, *from;

static void barrier(void)
{
	MPI_Barrier(MPI_COMM_WORLD);
}

static void allreduce(void)
{
	double mine = rank, sum = 0;
	MPI_Allreduce(&mine, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	sample_require(sum == (double)size * (size - 1) / 2, "the sum is wrong");
}

static void alltoall(void)
{
	MPI_Alltoall(to, 1, MPI_LONG, from, 1, MPI_LONG, MPI_COMM_WORLD);
	sample_require(from[size - 1] == rank + 1000l * (size - 1), "the wrong block arrived");
}

static void (*find_operation(const char *name))(void)
{
	if (!strcmp(name, "allreduce"))
		return allreduce;
	if (!strcmp(name, "alltoall"))
		return alltoall;
	sample_require(!strcmp(name, "barrier"), "no such operation");
	return barrier;
}

/* Blocks say where they come from and where they go. */
static void prepare(void)
{
	to = malloc(size * sizeof *to);
	from = malloc(size * sizeof *from);
	for (int i = 0; i < size; i++)
		to[i] = i + 1000l * rank;
}

static void repeat(void (*operation)(void), long iterations)
{
	for (long i = 0; i < iterations; i++)
		operation();
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long iterations = sample_argument(argc, argv, 2, 100), batches = sample_argument(argc, argv, 3, 10);
	void (*operation)(void) = find_operation(argc > 1 ? argv[1] : "barrier");
	prepare();
	repeat(operation, iterations < 10 ? iterations : 10);
	for (long i = 0; i < batches; i++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double start = sample_clock(CLOCK_MONOTONIC);
		repeat(operation, iterations);
		if (rank == 0)
			sample_print("call", (sample_clock(CLOCK_MONOTONIC) - start) / iterations);
	}
	MPI_Finalize();
	return 0;
}
