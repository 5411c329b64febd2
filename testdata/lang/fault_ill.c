/* One rank executes an illegal instruction: SIGILL, 132. */
#include "check.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == 0)
		__builtin_trap();
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
