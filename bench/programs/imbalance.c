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

/* No variables of the program: under AMPI ranks share those. */
struct job {
	const char *what;
	int rank, size;
	long iterations, period;
	double steps; /* of the mean work of a rank */
};

static double share(const struct job *j, long iteration)
{
	if (!strcmp(j->what, "even"))
		return 1;
	if (!strcmp(j->what, "slope"))
		return 2.0 * (j->rank + 0.5) / j->size;
	long spot = iteration * 8 / j->iterations, mine = j->rank * 8 / j->size;
	return (spot == mine ? 8 : 1) / 1.875;
}

/* What a rank adds to the sum of an iteration. */
static double step(const struct job *j, double part)
{
	double x = work(0.5, (long)(j->steps * part)), from = 0, total = 0;
	int next = (j->rank + 1) % j->size, last = (j->rank + j->size - 1) % j->size;
	MPI_Sendrecv(&x, 1, MPI_DOUBLE, next, 0, &from, 1, MPI_DOUBLE, last, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Allreduce(&from, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return (double)(long)(total >= 0) + j->rank;
}

static int by_value(const void *a, const void *b)
{
	return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* Seconds of an iteration in which all work alike: the median. */
static double even(const struct job *j)
{
	double t[BATCHES];
	for (int b = -1; b < BATCHES; b++) {
		double begin = MPI_Wtime();
		for (int i = 0; i < BATCH; i++)
			step(j, 1);
		if (b < 0)
			continue;
		t[b] = (MPI_Wtime() - begin) / BATCH;
		if (j->rank == 0)
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

static double run(const struct job *j)
{
	double sum = 0;
	for (long i = 0; i < j->iterations; i++) {
		sum += step(j, share(j, i));
		if (j->period && i % j->period == j->period - 1)
			migrate();
	}
	return sum;
}

int main(int argc, char **argv)
{
	struct job j;
	double per_us = 0, all;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &j.rank);
	MPI_Comm_size(MPI_COMM_WORLD, &j.size);
	j.what = argc > 1 ? argv[1] : "slope";
	j.iterations = sample_argument(argc, argv, 2, 200);
	j.period = sample_argument(argc, argv, 4, 0);
	if (j.rank == 0)
		per_us = work_speed();
	MPI_Bcast(&per_us, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
	j.steps = per_us * sample_argument(argc, argv, 3, 200);
	double ideal = even(&j) * j.iterations, begin = MPI_Wtime(), sum = run(&j), seconds = MPI_Wtime() - begin;
	MPI_Reduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (j.rank == 0) {
		printf("sum %.0f seconds %.4f ideal %.4f\n", all, seconds, ideal);
		sample_print("seconds", seconds);
		sample_print("ideal", ideal);
	}
	MPI_Finalize();
	return 0;
}
