/* overlap WAY STEPS BATCHES: what waiting costs where computation is uneven. In every step the ranks of one half have three times as
 * much to compute as those of the other, in turn, so over two steps all have the same; then they need data of each other. Who waits at
 * the end of each step takes 3/2 of the time of the computation, who may run ahead a step less. WAY is
 *	neighbours: with the two neighbours in a ring, waiting at once: only the ranks at the borders of the halves wait for the other half
 *	blocking: a sum over all, MPI_Allreduce
 *	background: MPI_Iallreduce, waited for at the end of the next step
 * For each batch, the time of a step: all (step) and the computation alone (alone), which does not depend on how many ranks share it. */
#include <mpi.h>
#include <string.h>

#include "sample.h"

#define ROUNDS 60000 /* of computation in two steps, for two ranks */

static int rank, size;
static double sink;

static double __attribute__((noinline)) compute(long step)
{
	int heavy = (step & 1) == (rank < size / 2);
	long rounds = (long)ROUNDS * (heavy ? 3 : 1) * 2 / size / 2;
	double x = rank;
	for (long i = 0; i < rounds; i++)
		x = x * 0.999 + 1e-3;
	sink += x;
	return x;
}

static void alone(long steps)
{
	for (long s = 0; s < steps; s++)
		compute(s);
}

/* What the left and the right neighbour have computed comes in, what this rank has goes out. */
static void neighbours(long steps)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size;
	for (long s = 0; s < steps; s++) {
		double mine[2] = {compute(s), s}, from[2][2];
		MPI_Request r[4];
		MPI_Irecv(from[0], 2, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, &r[0]);
		MPI_Irecv(from[1], 2, MPI_DOUBLE, right, 2, MPI_COMM_WORLD, &r[1]);
		MPI_Isend(mine, 2, MPI_DOUBLE, left, 2, MPI_COMM_WORLD, &r[2]);
		MPI_Isend(mine, 2, MPI_DOUBLE, right, 1, MPI_COMM_WORLD, &r[3]);
		MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
		sample_require(from[0][1] == s && from[1][1] == s, "data of another step arrived");
	}
}

static void blocking(long steps)
{
	double mine[2] = {0, 1}, sum[2];
	for (long s = 0; s < steps; s++) {
		mine[0] = compute(s);
		MPI_Allreduce(mine, sum, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		sample_require(sum[1] == size, "the sum is wrong");
	}
}

static void background(long steps)
{
	double mine[2][2] = {{0, 1}, {0, 1}}, sum[2][2];
	MPI_Request before = MPI_REQUEST_NULL, r;
	for (long s = 0; s < steps; s++, before = r) {
		mine[s & 1][0] = compute(s);
		MPI_Iallreduce(mine[s & 1], sum[s & 1], 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &r);
		MPI_Wait(&before, MPI_STATUS_IGNORE);
		sample_require(!s || sum[!(s & 1)][1] == size, "the sum is wrong");
	}
	MPI_Wait(&before, MPI_STATUS_IGNORE);
}

static void (*find_way(const char *name))(long steps)
{
	if (!strcmp(name, "blocking"))
		return blocking;
	if (!strcmp(name, "background"))
		return background;
	sample_require(!strcmp(name, "neighbours"), "no such way");
	return neighbours;
}

/* From the first rank that begins to the last that ends, in rank 0. Ranks that share a core come to run one after the other. */
static double timed(void (*run)(long steps), long steps)
{
	double start, end, first = 0, last = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	start = sample_clock(CLOCK_MONOTONIC);
	run(steps);
	end = sample_clock(CLOCK_MONOTONIC);
	MPI_Reduce(&start, &first, 1, MPI_DOUBLE, MPI_MIN, 0, MPI_COMM_WORLD);
	MPI_Reduce(&end, &last, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	return (last - first) / steps;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	void (*way)(long steps) = find_way(argc > 1 ? argv[1] : "neighbours");
	long steps = sample_argument(argc, argv, 2, 100), batches = sample_argument(argc, argv, 3, 10);
	timed(way, 10);
	for (long i = 0; i < batches; i++) {
		double with = timed(way, steps), without = timed(alone, steps);
		if (rank)
			continue;
		sample_print("step", with);
		sample_print("alone", without);
	}
	sample_require(sink >= 0, "the computation is wrong");
	MPI_Finalize();
	return 0;
}
