/* One rank divides by zero in divide() at line 6: SIGFPE, 136. */
#include "check.h"

__attribute__((noinline)) static int divide(int a, int b)
{
	return a / b;
}

int main(int argc, char **argv)
{
	volatile int zero = 0;

	check_begin(&argc, &argv);
	if (rank == size - 1)
		printf("%d\n", divide(rank + 1, zero));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
