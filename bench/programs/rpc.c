/* rpc BYTES ITERATIONS BATCHES CLOCK: rank 0 calls a function on rank 1, which waits in a barrier and sends the argument back; and a ping-pong
 * of as many bytes. The time of a round trip of each, for each batch.
 *
 * CLOCK is `cpu` when both ranks share a PE, else `wall`. */
#include <ampi_rpc.h>
#include <string.h>

#include "sample.h"

static int bytes, iterations;
static char *out, *in;

static size_t echo(const void *arg, size_t size, void *reply, size_t capacity, int origin, MPI_Comm comm)
{
	(void)capacity, (void)origin, (void)comm;
	memcpy(reply, arg, size);
	return size;
}

static void calls(void)
{
	for (int i = 0; i < iterations; i++) {
		size_t n = bytes;
		AMPI_Rpc(1, echo, out, bytes, in, &n, MPI_COMM_WORLD);
	}
}

static void messages(int rank)
{
	for (int i = 0; i < iterations; i++) {
		if (rank == 0)
			MPI_Send(out, bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(in, bytes, MPI_CHAR, !rank, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		if (rank == 1)
			MPI_Send(in, bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	bytes = sample_argument(argc, argv, 1, 8);
	iterations = sample_argument(argc, argv, 2, 1000);
	int batches = sample_argument(argc, argv, 3, 10);
	clockid_t clock = argc > 4 && !strcmp(argv[4], "cpu") ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC;
	out = malloc(bytes);
	in = calloc(1, bytes);
	memset(out, 'a', bytes);
	for (int i = -1; i < batches; i++) { /* the first one warms up */
		double start = sample_clock(clock);
		messages(rank);
		double between = sample_clock(clock);
		if (rank == 0)
			calls();
		double end = sample_clock(clock);
		MPI_Barrier(MPI_COMM_WORLD);
		if (rank || i < 0)
			continue;
		sample_print("pingpong", (between - start) / iterations);
		sample_print("rpc", (end - between) / iterations);
	}
	sample_require(rank || in[bytes - 1] == 'a', "the wrong answer arrived");
	MPI_Finalize();
	return 0;
}
