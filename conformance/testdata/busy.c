/* Never ends by itself. Every rank prints "ready", then does for ever what the argument says. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank, size, value;

static void round_trip(void)
{
	MPI_Sendrecv_replace(&value, 1, MPI_INT, (rank + 1) % size, 1, (rank + size - 1) % size, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Some ranks have much more to do than others, and each does by turns. */
static void uneven(long step)
{
	volatile double x = 0.5;
	for (int i = (rank + step) % size < size / 8 ? 200000 : 5000; i > 0; i--)
		x = x * 0.999999 + 1e-6;
	round_trip();
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "talk";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int step = 0; step < 50 && strcmp(kind, "uneven") == 0; step++)
		uneven(step);
	printf("ready\n");
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	for (volatile long step = 0;; step++) {
		if (strcmp(kind, "talk") == 0)
			round_trip();
		else if (strcmp(kind, "uneven") == 0)
			uneven(step);
		else if (strcmp(kind, "sleep") == 0)
			sleep(1000);
		else if (strcmp(kind, "child") == 0)
			system("sleep 1000");
	}
}
