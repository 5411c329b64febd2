/* An alarm without a handler, while the rank computes: SIGALRM, 142. */
#include "check.h"
#include <unistd.h>

int main(int argc, char **argv)
{
	volatile double x = 1;

	check_begin(&argc, &argv);
	if (rank == size - 1)
		alarm(1);
	MPI_Barrier(MPI_COMM_WORLD);
	while (rank == size - 1)
		x += 1e-9;
	MPI_Barrier(MPI_COMM_WORLD);
	return check_end("exit_alarm");
}
