/* An MPI error under MPI_ERRORS_ARE_FATAL ends the job, not with 0, and names the call and the class on stderr. */
#include "check.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == 0)
		MPI_Send(NULL, 0, MPI_INT, size + 5, 0, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
