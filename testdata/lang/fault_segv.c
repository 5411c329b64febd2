/* One rank writes to a null pointer in bad_write() at line 9: SIGSEGV, 139, and a report with function, file and line. */
#include "check.h"

__attribute__((noinline)) static void bad_write(volatile int *p, int n)
{
	if (n > 0) {
		bad_write(p, n - 1);
	} else {
		*p = 1;
	}
}

int main(int argc, char **argv)
{
	int *volatile nowhere = NULL;

	check_begin(&argc, &argv);
	if (rank == size - 1)
		bad_write(nowhere, 3);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
