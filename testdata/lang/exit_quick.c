/* _exit(12) in one rank skips exit handlers and ends the job with 12. */
#include "check.h"
#include <unistd.h>

static void handler(void) { _exit(1); }

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	atexit(handler);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		_exit(12);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	return 0;
}
