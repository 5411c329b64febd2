/*
 * Rank 0 polls its memory without a call of MPI, until rank 1 has put something there: into a global and into a thread-local variable. Passive
 * targets make progress by themselves (MPI 5.0 section 12.7.3).
 */
#include <mpi.h>
#include <stdio.h>

static volatile int global;
static __thread volatile int local;

static void put_one(MPI_Win win)
{
	int one = 1;

	MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 0, 0, win);
	MPI_Put(&one, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
	MPI_Win_unlock(0, win);
}

int main(int argc, char **argv)
{
	int rank;
	MPI_Win of_global, of_local;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create((void *)&global, sizeof global, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &of_global);
	MPI_Win_create((void *)&local, sizeof local, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &of_local);
	if (rank == 1) {
		put_one(of_global);
		put_one(of_local);
	}
	while (rank == 0 && !global)
		;
	while (rank == 0 && !local)
		;
	MPI_Win_free(&of_global);
	MPI_Win_free(&of_local);
	if (rank == 0)
		printf("PASS window_polled\n");
	MPI_Finalize();
	return 0;
}
