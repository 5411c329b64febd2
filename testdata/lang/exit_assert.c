/* An assertion fails in one rank: the message is printed and the job ends as killed by SIGABRT (134). */
#include "check.h"
#undef NDEBUG
#include <assert.h>

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == size - 1)
		assert(rank < 0 && "on purpose");
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
