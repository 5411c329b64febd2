/* Do sleep, usleep, nanosleep and select sleep long enough, and let the other ranks run meanwhile? */
#define _GNU_SOURCE
#include "check.h"
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

static void nap(int how)
{
	struct timespec ts = {0, 50000000};
	struct timeval tv = {0, 50000};

	switch (how) {
	case 0: usleep(50000); break;
	case 1: nanosleep(&ts, NULL); break;
	case 2: clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL); break;
	default: select(0, NULL, NULL, NULL, &tv);
	}
}

/* All ranks sleep together: it takes one nap, not as many as there are ranks (with room for a slow machine). */
int main(int argc, char **argv)
{
	double start, took;

	check_begin(&argc, &argv);
	for (int how = 0; how < 4; how++) {
		MPI_Barrier(MPI_COMM_WORLD);
		start = MPI_Wtime();
		nap(how);
		CHECK(MPI_Wtime() - start > 0.049);
		MPI_Barrier(MPI_COMM_WORLD);
		took = MPI_Wtime() - start;
		CHECK(how == 3 || took < 0.05 * size || took < 1);
	}
	start = MPI_Wtime();
	CHECK(sleep(1) == 0);
	CHECK(MPI_Wtime() - start > 0.99);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(MPI_Wtime() - start < 3 + 0.01 * size);
	return check_end("sleepers");
}
