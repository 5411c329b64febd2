/* Are stacks deep enough for large automatic arrays, alloca and recursion, and private while others run? */
#include "check.h"
#include <alloca.h>

#define LARGE (3 * 1024 * 1024 / 4)

static int large_array(void)
{
	int a[LARGE];

	for (int i = 0; i < LARGE; i++)
		a[i] = i ^ rank;
	check_others_run();
	for (int i = 0; i < LARGE; i++)
		if (a[i] != (i ^ rank))
			return 0;
	return 1;
}

static int recurse(int n)
{
	volatile int local[64];

	local[n % 64] = n + rank;
	if (n == 0)
		check_others_run();
	else if (recurse(n - 1) != n - 1)
		return -1;
	return local[n % 64] == n + rank ? n : -1;
}

static int variable(int n)
{
	int vla[n], *more = alloca((size_t)n * sizeof *more);

	for (int i = 0; i < n; i++)
		vla[i] = i, more[i] = rank - i;
	MPI_Bcast(more, n, MPI_INT, size - 1, MPI_COMM_WORLD);
	for (int i = 0; i < n; i++)
		if (vla[i] != i || more[i] != size - 1 - i)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	CHECK(large_array());
	CHECK(recurse(10000) == 10000);
	CHECK(variable(1000));
	CHECK(variable(200000));
	return check_end("stack");
}
