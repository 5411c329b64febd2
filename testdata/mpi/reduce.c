/* Do reduce and allreduce give the result to the right ranks, with every root, any count, in place, and keep the input? */
#include "check.h"

#define MAX 40000

static int in[MAX], out[MAX];

static int sum_of(int i)
{
	unsigned sum = 0;

	for (int r = 0; r < size; r++)
		sum += check_value(r, i) % 1000;
	return sum;
}

static void fill(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = check_value(rank, i) % 1000;
}

static void check_sum(const int *a, int n)
{
	for (int i = 0; i < n; i += n > 1000 ? 97 : 1)
		CHECK_INT(a[i], sum_of(i));
}

static void check_kept(int n)
{
	for (int i = 0; i < n; i++)
		CHECK_INT(in[i], check_value(rank, i) % 1000);
}

static void reduce(int root, int n)
{
	fill(in, n);
	check_wipe(out, n);
	MPI_Reduce(in, rank == root ? out : NULL, n, MPI_INT, MPI_SUM, root, WORLD);
	if (rank == root)
		check_sum(out, n);
	check_kept(n);
}

static void reduce_in_place(int root, int n)
{
	fill(in, n);
	fill(out, n);
	if (rank == root)
		MPI_Reduce(MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, root, WORLD);
	else
		MPI_Reduce(in, NULL, n, MPI_INT, MPI_SUM, root, WORLD);
	if (rank == root)
		check_sum(out, n);
}

static void allreduce(int n)
{
	fill(in, n);
	check_wipe(out, n);
	MPI_Allreduce(in, out, n, MPI_INT, MPI_SUM, WORLD);
	check_sum(out, n);
	check_kept(n);
	MPI_Allreduce(MPI_IN_PLACE, in, n, MPI_INT, MPI_SUM, WORLD);
	check_sum(in, n);
}

int main(int argc, char **argv)
{
	const int counts[] = {0, 1, 3, 700, MAX};

	check_begin(&argc, &argv);
	for (int c = 0; c < LEN(counts); c++) {
		for (int root = 0; root < size; root++)
			reduce(root, counts[c]);
		for (int root = 0; root < (counts[c] < 100 ? size : 1); root++)
			reduce_in_place(root, counts[c]);
		allreduce(counts[c]);
	}
	return check_end("reduce");
}
