/* Heat in a rod, with all that is written tagged as thread-local, as programs for tls are. Prints PASS tagged when every rank has the
 * sum that the closed form of the mean gives. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CELLS 64
#define STEPS 50

static __thread double now[CELLS + 2], next[CELLS + 2];
static __thread int rank, size, steps;
static __thread char *label;
static const char *const words[] = {"even", "odd"};

static void exchange(void)
{
	int left = (rank + size - 1) % size, right = (rank + 1) % size;

	MPI_Sendrecv(&now[1], 1, MPI_DOUBLE, left, 0, &now[CELLS + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&now[CELLS], 1, MPI_DOUBLE, right, 1, &now[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void step(void)
{
	exchange();
	for (int i = 1; i <= CELLS; i++)
		next[i] = now[i] + 0.25 * (now[i - 1] - 2 * now[i] + now[i + 1]);
	memcpy(now, next, sizeof now);
	steps++;
}

int main(int argc, char **argv)
{
	double mine = 0, all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	label = malloc(16);
	strcpy(label, words[rank % 2]);
	for (int i = 1; i <= CELLS; i++)
		now[i] = rank;
	while (steps < STEPS)
		step();
	for (int i = 1; i <= CELLS; i++)
		mine += now[i];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	double want = CELLS * size * (size - 1) / 2.0;
	int good = all > want - 1e-6 && all < want + 1e-6 && !strcmp(label, words[rank % 2]);
	free(label);
	MPI_Allreduce(MPI_IN_PLACE, &good, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
	if (!rank)
		puts(good ? "PASS tagged" : "FAIL tagged");
	MPI_Finalize();
	return !good;
}
