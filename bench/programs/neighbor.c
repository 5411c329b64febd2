/* neighbor BYTES ITERATIONS BATCHES: time of one exchange with the four neighbours of a periodic grid of all ranks, for each batch, as
 * rank 0 sees it: by MPI_Neighbor_alltoall ("neighbor") and by hand, with Irecv, Isend and Waitall ("byhand"). */
#include <mpi.h>
#include <string.h>

#include "sample.h"

#define NEIGHBORS 4

static MPI_Comm grid;
static int rank, near[NEIGHBORS];
static long bytes;
static char *to, *from;

static void neighbor(void)
{
	MPI_Neighbor_alltoall(to, (int)bytes, MPI_BYTE, from, (int)bytes, MPI_BYTE, grid);
}

static void by_hand(void)
{
	MPI_Request q[2 * NEIGHBORS];
	for (int i = 0; i < NEIGHBORS; i++)
		MPI_Irecv(from + i * bytes, (int)bytes, MPI_BYTE, near[i], i, grid, &q[i]);
	for (int i = 0; i < NEIGHBORS; i++)
		MPI_Isend(to + i * bytes, (int)bytes, MPI_BYTE, near[i], i ^ 1, grid, &q[NEIGHBORS + i]);
	MPI_Waitall(2 * NEIGHBORS, q, MPI_STATUSES_IGNORE);
}

static void prepare(void)
{
	int size, dims[2] = {0, 0}, wraps[2] = {1, 1};
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wraps, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	for (int i = 0; i < 2; i++)
		MPI_Cart_shift(grid, i, 1, &near[2 * i], &near[2 * i + 1]);
	to = malloc(NEIGHBORS * bytes);
	from = malloc(NEIGHBORS * bytes);
	for (int i = 0; i < NEIGHBORS; i++)
		memset(to + i * bytes, (NEIGHBORS * rank + i) % 251, bytes);
}

/* Both ways leave every block where it belongs. */
static void check(void (*exchange)(void))
{
	memset(from, 255, NEIGHBORS * bytes);
	exchange();
	for (int i = 0; i < NEIGHBORS; i++)
		sample_require((unsigned char)from[(i + 1) * bytes - 1] == (NEIGHBORS * near[i] + (i ^ 1)) % 251, "the wrong block arrived");
}

static void measure(const char *name, void (*exchange)(void), long iterations)
{
	MPI_Barrier(grid);
	double start = sample_clock(CLOCK_MONOTONIC);
	for (long i = 0; i < iterations; i++)
		exchange();
	MPI_Barrier(grid);
	if (rank == 0)
		sample_print(name, (sample_clock(CLOCK_MONOTONIC) - start) / iterations);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	bytes = sample_argument(argc, argv, 1, 8);
	long iterations = sample_argument(argc, argv, 2, 100), batches = sample_argument(argc, argv, 3, 10);
	prepare();
	check(neighbor);
	check(by_hand);
	for (long i = 0; i < batches; i++) {
		measure("neighbor", neighbor, iterations);
		measure("byhand", by_hand, iterations);
	}
	MPI_Finalize();
	return 0;
}
