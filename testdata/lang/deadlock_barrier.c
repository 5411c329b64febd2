/* Rank 0 waits for a message, the others for rank 0 in a barrier: a deadlock of two kinds of call. */
#include "check.h"

int main(int argc, char **argv)
{
	int value;

	check_begin(&argc, &argv);
	if (rank == 0)
		MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
