/* Do sleep, usleep, nanosleep and select sleep long enough, and let the other ranks run meanwhile? */
#define _GNU_SOURCE
#include "check.h"
#include <stdlib.h>
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

/* How many ranks were asleep at once, of those that slept from start to end: half of them when each of two processes runs its ranks by
 * turns, however slow the machine; as many as there are processes when a sleeping rank holds up the others. */
static int asleep_at_once(double start, double end)
{
	double own[2] = {start, end}, *all = malloc(2 * size * sizeof *all);
	int most = 0;

	MPI_Allgather(own, 2, MPI_DOUBLE, all, 2, MPI_DOUBLE, MPI_COMM_WORLD);
	for (int r = 0; r < size; r++) {
		int n = 0;
		for (int i = 0; i < size; i++)
			n += all[2 * i] <= all[2 * r] && all[2 * r] < all[2 * i + 1];
		most = n > most ? n : most;
	}
	free(all);
	return most;
}

int main(int argc, char **argv)
{
	double start, end;

	check_begin(&argc, &argv);
	for (int how = 0; how < 5; how++) {
		MPI_Barrier(MPI_COMM_WORLD);
		start = MPI_Wtime();
		if (how < 4)
			nap(how);
		else
			CHECK(sleep(1) == 0);
		end = MPI_Wtime();
		CHECK(end - start > (how < 4 ? 0.049 : 0.99));
		CHECK(asleep_at_once(start, end) >= (size + 1) / 2);
	}
	return check_end("sleepers");
}
