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

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "talk";

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	printf("ready\n");
	fflush(stdout);
	MPI_Barrier(MPI_COMM_WORLD);
	for (volatile long step = 0;; step++) {
		if (strcmp(kind, "talk") == 0)
			round_trip();
		else if (strcmp(kind, "sleep") == 0)
			sleep(1000);
		else if (strcmp(kind, "child") == 0)
			system("sleep 1000");
	}
}
