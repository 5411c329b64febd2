/* Does nobody leave a barrier before everybody has entered it? */
#include "check.h"
#include <unistd.h>

/* The late rank tells the others just before it enters; who has left must be able to receive that at once. */
static void late(int who)
{
	int flag = 0;

	if (rank == who) {
		usleep(20000);
		for (int r = 0; r < size; r++)
			if (r != who)
				MPI_Ssend(NULL, 0, MPI_INT, r, who, WORLD);
		MPI_Barrier(WORLD);
		return;
	}
	MPI_Request req;
	MPI_Irecv(NULL, 0, MPI_INT, who, who, WORLD, &req);
	MPI_Barrier(WORLD);
	for (int tries = 0; tries < 100 && !flag; tries++)
		MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
	CHECK(flag);
}

int main(int argc, char **argv)
{
	double before, latest, entered, left;

	check_begin(&argc, &argv);
	for (int who = 0; who < size; who++)
		late(who);
	for (int i = 0; i < 50; i++)
		MPI_Barrier(WORLD);
	MPI_Barrier(MPI_COMM_SELF);

	/* By the clock: all have entered before the first leaves (clocks of one machine). */
	usleep(1000 * rank);
	entered = MPI_Wtime();
	MPI_Barrier(WORLD);
	left = MPI_Wtime();
	MPI_Allreduce(&entered, &latest, 1, MPI_DOUBLE, MPI_MAX, WORLD);
	MPI_Allreduce(&left, &before, 1, MPI_DOUBLE, MPI_MIN, WORLD);
	CHECK(before >= latest);
	return check_end("barrier");
}
