/* One rank has an automatic array of 200 MB in too_large(), whose far end it uses first: that is a stack overflow as well, SIGSEGV, 139. */
#include "check.h"

__attribute__((noinline)) static int too_large(int n)
{
	volatile char array[200 << 20];

	array[n] = 1;
	return array[n];
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == size - 1)
		printf("%d\n", too_large(rank));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
