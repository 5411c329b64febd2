#include "parts.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int other_file;
static volatile long steps;
static int (*volatile nowhere)(void);

static void wait_for_next(int rank)
{
	int size, got;
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Recv(&got, 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void compute(void)
{
	alarm(1000); /* should the test be gone */
	puts("computes");
	fflush(stdout);
	for (;;)
		steps++;
}

static int compare(const void *a, const void *b)
{
	(void)a, (void)b;
	*(volatile int *)8 = 1; /* here it crashes */
	return 0;
}

static void crash_in_callback(void)
{
	int list[] = {3, 1, 2};
	qsort(list, 3, sizeof *list, compare);
}

void work_on(int rank, const char *mode)
{
	if (!strcmp(mode, "callback") && rank == 2)
		crash_in_callback();
	if (!strcmp(mode, "null") && rank == 2)
		nowhere();
	if (!strcmp(mode, "abort") && rank == 2)
		abort();
	if (!strcmp(mode, "compute") && rank == 3)
		compute();
	if (*mode)
		wait_for_next(rank);
}

void descend(int depth, int rank, const char *mode)
{
	int local = 7 * rank + depth;
	if (depth)
		descend(depth - 1, rank, mode);
	else
		work_on(rank, mode);
	shared_name += local - local;
}
