/* Do reduce_scatter and reduce_scatter_block reduce everything and give each rank its block? */
#include "check.h"

static int *in, *counts;

static int sum_of(int i)
{
	int sum = 0;

	for (int r = 0; r < size; r++)
		sum += (r + 1) * (i + 3);
	return sum;
}

static void fill(int n)
{
	for (int i = 0; i < n; i++)
		in[i] = (rank + 1) * (i + 3);
}

static void uneven(int round)
{
	int total = 0, first = 0, out[100];

	for (int r = 0; r < size; r++) {
		counts[r] = (r * 5 + round) % 4 * round;
		first += r < rank ? counts[r] : 0;
		total += counts[r];
	}
	fill(total);
	check_wipe(out, 100);
	MPI_Reduce_scatter(in, out, counts, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < counts[rank]; i++)
		CHECK_INT(out[i], sum_of(first + i));
	CHECK_INT(out[counts[rank]], -1);
	MPI_Reduce_scatter(MPI_IN_PLACE, in, counts, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < counts[rank]; i++)
		CHECK_INT(in[i], sum_of(first + i));
}

static void block(int n)
{
	int *out = malloc((n + 1) * sizeof *out);

	fill(n * size);
	check_wipe(out, n + 1);
	MPI_Reduce_scatter_block(in, out, n, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < n; i++)
		CHECK_INT(out[i], sum_of(rank * n + i));
	CHECK_INT(out[n], -1);
	MPI_Reduce_scatter_block(MPI_IN_PLACE, in, n, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < n; i++)
		CHECK_INT(in[i], sum_of(rank * n + i));
	free(out);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	in = malloc(3000 * size * sizeof *in);
	counts = malloc(size * sizeof *counts);
	for (int round = 0; round < 6; round++)
		uneven(round);
	block(0);
	block(1);
	block(17);
	block(3000);
	free(in);
	free(counts);
	return check_end("reduce_scatter");
}
