/* latency BYTES ITERATIONS BATCHES CLOCK: ping-pong between ranks 0 and 1; one-way time for each batch.
 *
 * CLOCK is `cpu` when both ranks share a PE, else `wall`. With more than 64 KiB, rank 0 also copies as many bytes from one
 * of its buffers to another after each batch: what the message can be compared with, under the same noise. */
#include <mpi.h>
#include <string.h>

#include "sample.h"

struct shape {
	int bytes, iterations, batches;
	clockid_t clock;
};

static char *out, *in;

static void ping(const struct shape *s)
{
	for (int i = 0; i < s->iterations; i++) {
		MPI_Send(out, s->bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD);
		MPI_Recv(in, s->bytes, MPI_CHAR, 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

static void pong(const struct shape *s)
{
	for (int i = 0; i < s->iterations; i++) {
		MPI_Recv(in, s->bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Send(out, s->bytes, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
	}
}

/* The compiler must believe that every copy is read. */
static void copy(const struct shape *s)
{
	double start = sample_clock(s->clock);
	for (int i = 0; i < s->iterations; i++) {
		memcpy(in, out, s->bytes);
		__asm__ volatile("" ::"r"(in) : "memory");
	}
	sample_print("memcpy", (sample_clock(s->clock) - start) / s->iterations);
}

static void measure(const struct shape *s)
{
	double start = sample_clock(s->clock);
	ping(s);
	sample_print("oneway", (sample_clock(s->clock) - start) / s->iterations / 2);
	if (s->bytes > 65536)
		copy(s);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	struct shape s = {sample_argument(argc, argv, 1, 8), sample_argument(argc, argv, 2, 1000), sample_argument(argc, argv, 3, 10),
			  argc > 4 && !strcmp(argv[4], "cpu") ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC};
	out = malloc(s.bytes);
	in = malloc(s.bytes);
	memset(out, 'a' + rank, s.bytes);
	memset(in, 0, s.bytes);
	if (rank == 0)
		ping(&s);
	else if (rank == 1)
		pong(&s);
	for (int i = 0; i < s.batches; i++) {
		if (rank == 0)
			measure(&s);
		else if (rank == 1)
			pong(&s);
	}
	sample_require(rank > 1 || s.bytes > 65536 || in[s.bytes - 1] == 'a' + !rank, "the wrong message arrived");
	MPI_Finalize();
	return 0;
}
