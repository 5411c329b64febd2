/* Five ranks that wait for each other for ever in calls on a window. */
#include <mpi.h>

int main(int argc, char **argv)
{
	static int memory;
	int rank, zero = 0;
	MPI_Group all, first;
	MPI_Win win;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Win_create(&memory, sizeof memory, sizeof memory, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
	MPI_Win_get_group(win, &all);
	MPI_Group_incl(all, 1, &zero, &first);
	if (rank == 0)
		MPI_Win_lock(MPI_LOCK_EXCLUSIVE, 1, 0, win);
	MPI_Barrier(MPI_COMM_WORLD);
	switch (rank) {
	case 0:
		MPI_Recv(&memory, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		break;
	case 1:
		MPI_Win_lock(MPI_LOCK_SHARED, 1, 0, win);
		break;
	case 2:
		MPI_Win_start(first, 0, win);
		MPI_Put(&zero, 1, MPI_INT, 0, 0, 1, MPI_INT, win);
		break;
	case 3:
		MPI_Win_post(first, 0, win);
		MPI_Win_wait(win);
		break;
	default:
		MPI_Win_lock_all(0, win);
	}
	MPI_Finalize();
	return 0;
}
