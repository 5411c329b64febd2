/* One rank calls exit(9) without MPI_Finalize while the others wait for it: the job ends, with 9, and nothing hangs. */
#include "check.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == size - 1)
		exit(9);
	MPI_Recv(NULL, 0, MPI_INT, size - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return 0;
}
