/* One rank calls MPI_Abort(5) while the others wait in a barrier: the job ends with 5. */
#include "check.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == size / 2)
		MPI_Abort(MPI_COMM_WORLD, 5);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
