/* Every rank waits for its left neighbour and nobody sends: a deadlock to be found and reported, rank by rank. */
#include "check.h"

int main(int argc, char **argv)
{
	int value;

	check_begin(&argc, &argv);
	MPI_Recv(&value, 1, MPI_INT, (rank + size - 1) % size, 31, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 0;
}
