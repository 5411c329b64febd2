/* The last rank returns 17 from main after MPI_Finalize, the others 0: the job ends with 17. */
#include "check.h"

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Finalize();
	return rank == size - 1 ? 17 : 0;
}
