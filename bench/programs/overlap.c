/* overlap OPERATION ELEMENTS BATCHES: how much of a collective in the background is hidden behind computation. OPERATION is allreduce
 * (so many doubles) or alltoall (so many doubles to each rank). As rank 0 sees it, for each batch: the call alone (call), the
 * computation alone (compute, about as long), and both (both); and of the quickest of each, which part of the shorter one is missing in both
 * (hidden). Ranks that share a core can hide waiting only, not work. */
#include <mpi.h>
#include <string.h>

#include "sample.h"

static int rank, size;
static double *in, *out;
static int elements, is_alltoall;

static void begin(MPI_Request *r)
{
	if (is_alltoall)
		MPI_Ialltoall(in, elements, MPI_DOUBLE, out, elements, MPI_DOUBLE, MPI_COMM_WORLD, r);
	else
		MPI_Iallreduce(in, out, elements, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, r);
}

static double __attribute__((noinline)) compute(long rounds)
{
	double x = rank;
	for (long i = 0; i < rounds; i++)
		x = x * 0.999 + 1e-3;
	return x;
}

/* All ranks together, as rank 0 sees it. */
static double timed(int communicates, long rounds)
{
	MPI_Request r = MPI_REQUEST_NULL;
	MPI_Barrier(MPI_COMM_WORLD);
	double start = sample_clock(CLOCK_MONOTONIC);
	if (communicates)
		begin(&r);
	double x = compute(rounds);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	sample_require(x >= 0, "the computation is wrong");
	return sample_clock(CLOCK_MONOTONIC) - start;
}

static void least(double *best, double value)
{
	if (*best == 0 || value < *best)
		*best = value;
}

/* Rounds of computation that take the ranks as long as the call; the same in all of them. */
static long balance(void)
{
	long rounds = 100000;
	double call = 0, some = 0;
	for (int i = 0; i < 5; i++) {
		least(&call, timed(1, 0));
		least(&some, timed(0, rounds));
	}
	rounds *= call / some;
	sample_require(rounds > 0, "the computation takes no time");
	MPI_Bcast(&rounds, 1, MPI_LONG, 0, MPI_COMM_WORLD);
	return rounds;
}

static void prepare(void)
{
	long n = (long)elements * (is_alltoall ? size : 1);
	in = malloc(n * sizeof *in);
	out = malloc(n * sizeof *out);
	for (long i = 0; i < n; i++)
		in[i] = rank;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	is_alltoall = argc > 1 && !strcmp(argv[1], "alltoall");
	elements = sample_argument(argc, argv, 2, 1000);
	long batches = sample_argument(argc, argv, 3, 10);
	prepare();
	long rounds = balance();
	double best[3] = {0, 0, 0};
	for (long i = 0; i < batches; i++) {
		double call = timed(1, 0), alone = timed(0, rounds), both = timed(1, rounds);
		if (rank)
			continue;
		sample_print("call", call);
		sample_print("compute", alone);
		sample_print("both", both);
		least(&best[0], call), least(&best[1], alone), least(&best[2], both);
	}
	if (rank == 0)
		sample_print("hidden", (best[0] + best[1] - best[2]) / (best[0] < best[1] ? best[0] : best[1]));
	sample_require(is_alltoall ? out[(size - 1) * (long)elements] == size - 1 : out[0] == size * (size - 1) / 2.0, "the result is wrong");
	MPI_Finalize();
	return 0;
}
