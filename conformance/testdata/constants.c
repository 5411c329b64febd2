/* Adds up a table of constants that takes many pages. */
#include <mpi.h>
#include <stdio.h>

#define N 65536
static const int table[N] = {[0 ... N - 1] = 1};

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	const int *p = table;
	int me, sum = 0;
	__asm__("" : "+r"(p));
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	for (int i = 0; i < N; i++)
		sum += p[i];
	if (!me && sum == N)
		printf("PASS constants\n");
	MPI_Finalize();
	return sum != N;
}
