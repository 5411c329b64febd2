/* Work that ranks share unevenly, iteration by iteration, with a ring exchange and a sum at the end of each.
 *
 *     imbalance WHAT ITERATIONS MICROSECONDS
 *
 * WHAT is "even", "slope" (rank r works in proportion to r) or "spot" (an eighth of the ranks works eight times as much as the
 * others; the spot moves on after every eighth of the iterations). MICROSECONDS is the mean work of a rank in an iteration, on one
 * core. Rank 0 prints the sum and the seconds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, iterations;

static double share(const char *what, int iteration)
{
	if (!strcmp(what, "even"))
		return 1;
	if (!strcmp(what, "slope"))
		return 2.0 * (rank + 0.5) / size;
	int spot = iteration * 8 / iterations, mine = rank * 8 / size;
	return (spot == mine ? 8 : 1) / 1.875;
}

static double work(double x, long steps)
{
	for (long i = 0; i < steps; i++)
		x = x * 0.999999 + 1e-6;
	return x;
}

/* Steps of work in a microsecond: 20 samples, the fastest counts. */
static double speed(void)
{
	double best = 0;
	for (int i = 0; i < 20; i++) {
		double t = MPI_Wtime();
		volatile double x = work(0.5, 20000);
		t = MPI_Wtime() - t;
		(void)x;
		if (20000 / (t * 1e6) > best)
			best = 20000 / (t * 1e6);
	}
	return best;
}

int main(int argc, char **argv)
{
	double per_us, sum = 0, x = 0.5;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const char *what = argc > 1 ? argv[1] : "slope";
	iterations = argc > 2 ? atoi(argv[2]) : 200;
	double us = argc > 3 ? atof(argv[3]) : 200;
	if (rank == 0)
		per_us = speed();
	MPI_Bcast(&per_us, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	double begin = MPI_Wtime();
	for (int i = 0; i < iterations; i++) {
		double from = 0, total = 0;
		x = work(x, (long)(us * per_us * share(what, i)));
		MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 0, &from, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(&from, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		sum += (double)(long)(total >= 0) + rank;
	}
	double seconds = MPI_Wtime() - begin, all;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("sum %.0f seconds %.4f ideal %.4f\n", all, seconds, iterations * us * size * 1e-6 / 2);
	MPI_Finalize();
	return 0;
}
