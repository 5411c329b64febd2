/* Work that ranks share unevenly, iteration by iteration, with a ring exchange and a sum at the end of each.
 *
 *     imbalance WHAT ITERATIONS MICROSECONDS [PERIOD]
 *
 * WHAT is "even", "slope" (rank r works in proportion to r) or "spot" (an eighth of the ranks works eight times as much as the
 * others; the spot moves on after every eighth of the iterations). MICROSECONDS is the mean work of a rank in an iteration, on one
 * core. With PERIOD the ranks call AMPI_Migrate after each so many iterations.
 *
 * Before, ranks share the same work evenly for some iterations. That tells what it takes where nobody waits for anybody, on this machine and with
 * what else it does now: samples "even", of an iteration. Then "seconds", of all iterations, and "ideal", what they would take at that rate. Rank 0
 * prints. */
#include <mpi.h>
#include <string.h>

#include "work.h"

#define BATCH 10 /* iterations of even work that are timed together */
#define BATCHES 15

static int rank, size, iterations;
static double per_us, us;

static double share(const char *what, int iteration)
{
	if (!strcmp(what, "even"))
		return 1;
	if (!strcmp(what, "slope"))
		return 2.0 * (rank + 0.5) / size;
	int spot = iteration * 8 / iterations, mine = rank * 8 / size;
	return (spot == mine ? 8 : 1) / 1.875;
}

/* What a rank adds to the sum of an iteration. */
static double step(double part)
{
	double x = work(0.5, (long)(us * per_us * part)), from = 0, total = 0;
	MPI_Sendrecv(&x, 1, MPI_DOUBLE, (rank + 1) % size, 0, &from, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Allreduce(&from, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return (double)(long)(total >= 0) + rank;
}

static int by_value(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Seconds of an iteration in which all work alike: the median. */
static double even(void)
{
	double t[BATCHES];
	for (int b = -1; b < BATCHES; b++) {
		double begin = MPI_Wtime();
		for (int i = 0; i < BATCH; i++)
			step(1);
		if (b < 0)
			continue;
		t[b] = (MPI_Wtime() - begin) / BATCH;
		if (rank == 0)
			sample_print("even", 1e6 * t[b]);
	}
	qsort(t, BATCHES, sizeof *t, by_value);
	return t[BATCHES / 2];
}

static void migrate(void)
{
#ifdef AMPI_INFO_LB_SYNC
	AMPI_Migrate(AMPI_INFO_LB_SYNC);
#elif defined AMPI
	MPI_Info info;
	MPI_Info_create(&info);
	MPI_Info_set(info, "ampi_load_balance", "sync");
	AMPI_Migrate(info);
	MPI_Info_free(&info);
#endif
}

int main(int argc, char **argv)
{
	double sum = 0, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	const char *what = argc > 1 ? argv[1] : "slope";
	iterations = sample_argument(argc, argv, 2, 200);
	us = sample_argument(argc, argv, 3, 200);
	long period = sample_argument(argc, argv, 4, 0);
	if (rank == 0)
		per_us = work_speed();
	MPI_Bcast(&per_us, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	double ideal = even() * iterations, begin = MPI_Wtime();
	for (int i = 0; i < iterations; i++) {
		sum += step(share(what, i));
		if (period && i % period == period - 1)
			migrate();
	}
	double seconds = MPI_Wtime() - begin;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		printf("sum %.0f seconds %.4f ideal %.4f\n", all, seconds, ideal);
		sample_print("seconds", seconds);
		sample_print("ideal", ideal);
	}
	MPI_Finalize();
	return 0;
}
