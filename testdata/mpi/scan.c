/* Do scan and exscan give prefixes in rank order, in place too, and leave rank 0 of exscan alone? */
#include "check.h"

#define MAX 5000

static int in[MAX], out[MAX];

static int prefix(int last, int i)
{
	int sum = 0;

	for (int r = 0; r <= last; r++)
		sum += r * 10 + i;
	return sum;
}

static void fill(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = rank * 10 + i;
}

static void scan(int n)
{
	fill(in, n);
	check_wipe(out, n);
	MPI_Scan(in, out, n, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < n; i++)
		CHECK_INT(out[i], prefix(rank, i));
	MPI_Scan(MPI_IN_PLACE, in, n, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < n; i++)
		CHECK_INT(in[i], prefix(rank, i));
}

static void exscan(int n)
{
	fill(in, n);
	check_wipe(out, n);
	MPI_Exscan(in, out, n, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < n; i++)
		CHECK_INT(out[i], rank == 0 ? -1 : prefix(rank - 1, i));
	MPI_Exscan(MPI_IN_PLACE, in, n, MPI_INT, MPI_SUM, WORLD);
	for (int i = 0; i < n; i++)
		CHECK_INT(in[i], rank == 0 ? i : prefix(rank - 1, i));
}

static void other_operations(void)
{
	double d = rank % 3, m;
	long bits = 1L << (rank % 60), seen;

	MPI_Scan(&d, &m, 1, MPI_DOUBLE, MPI_MAX, WORLD);
	CHECK(m == (rank > 2 ? 2 : rank));
	MPI_Scan(&bits, &seen, 1, MPI_LONG, MPI_BOR, WORLD);
	CHECK(rank >= 60 || seen == (2L << rank) - 1);
}

int main(int argc, char **argv)
{
	const int counts[] = {0, 1, 10, MAX};

	check_begin(&argc, &argv);
	for (int c = 0; c < LEN(counts); c++) {
		scan(counts[c]);
		exscan(counts[c]);
	}
	other_operations();
	return check_end("scan");
}
