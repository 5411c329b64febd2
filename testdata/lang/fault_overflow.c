/* One rank recurses for ever in endless(): its stack overflows, which is SIGSEGV, 139, and is called a stack overflow. */
#include "check.h"

static volatile int sink;

__attribute__((noinline)) static int endless(int n)
{
	volatile char frame[4000];

	frame[n % 4000] = (char)n;
	sink = frame[n % 4000];
	return sink == 1000 ? 0 : endless(n + 1) + sink;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == 0)
		printf("%d\n", endless(1));
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
