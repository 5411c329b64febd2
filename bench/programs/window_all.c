/* window_all ITERATIONS BATCHES: what all ranks do to one window at a time. counter: microseconds until all have added to one counter, for each
 * addition; fence and barrier: microseconds a call. */
#include <mpi.h>

#include "sample.h"

static int rank, size;
static MPI_Win win;

static void count(long n)
{
	long one = 1, old;
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = sample_clock(CLOCK_MONOTONIC);
	MPI_Win_lock_all(0, win);
	for (long i = 0; i < n; i++) {
		MPI_Fetch_and_op(&one, &old, MPI_LONG, 0, 0, MPI_SUM, win);
		MPI_Win_flush(0, win);
	}
	MPI_Win_unlock_all(win);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		sample_print("counter", (sample_clock(CLOCK_MONOTONIC) - begin) / ((double)n * size));
}

static void meet(void)
{
	double begin = sample_clock(CLOCK_MONOTONIC);
	for (int i = 0; i < 20; i++)
		MPI_Win_fence(0, win);
	double middle = sample_clock(CLOCK_MONOTONIC);
	for (int i = 0; i < 20; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	double end = sample_clock(CLOCK_MONOTONIC);
	if (rank == 0) {
		sample_print("fence", (middle - begin) / 20);
		sample_print("barrier", (end - middle) / 20);
	}
}

int main(int argc, char **argv)
{
	long *memory, n, batches;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	n = sample_argument(argc, argv, 1, 1000);
	batches = sample_argument(argc, argv, 2, 10);
	MPI_Win_allocate(sizeof *memory, sizeof *memory, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	*memory = 0;
	for (long i = 0; i < batches; i++) {
		count(n);
		meet();
		MPI_Win_fence(MPI_MODE_NOSUCCEED, win);
	}
	sample_require(rank || *memory == n * batches * size, "additions were lost");
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
