/* Do gather and scatter keep the order of ranks, for every root and count, in place and with other types at the root? */
#include "check.h"

#define MAX 3000

static int mine[MAX], *all;

static void check_all(int n, int salt)
{
	for (int r = 0; r < size; r++)
		CHECK(check_filled(all + r * n, n, salt + r));
}

static void gather(int root, int n)
{
	check_fill(mine, n, 7 + rank);
	check_wipe(all, n * size);
	MPI_Gather(mine, n, MPI_INT, rank == root ? all : NULL, n, MPI_INT, root, WORLD);
	if (rank == root)
		check_all(n, 7);
}

static void gather_in_place(int root, int n)
{
	check_fill(mine, n, 8 + rank);
	check_wipe(all, n * size);
	if (rank == root) {
		check_fill(all + rank * n, n, 8 + rank);
		MPI_Gather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, root, WORLD);
		check_all(n, 8);
	} else {
		MPI_Gather(mine, n, MPI_INT, NULL, 0, MPI_DATATYPE_NULL, root, WORLD);
	}
}

static void scatter(int root, int n)
{
	for (int r = 0; r < size; r++)
		check_fill(all + r * n, n, 9 + r);
	check_wipe(mine, n);
	MPI_Scatter(rank == root ? all : NULL, n, MPI_INT, mine, n, MPI_INT, root, WORLD);
	CHECK(check_filled(mine, n, 9 + rank));
}

static void scatter_in_place(int root, int n)
{
	for (int r = 0; r < size; r++)
		check_fill(all + r * n, n, 10 + r);
	check_wipe(mine, n);
	if (rank == root) {
		MPI_Scatter(all, n, MPI_INT, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, root, WORLD);
		CHECK(check_filled(all + rank * n, n, 10 + rank));
	} else {
		MPI_Scatter(NULL, 0, MPI_DATATYPE_NULL, mine, n, MPI_INT, root, WORLD);
		CHECK(check_filled(mine, n, 10 + rank));
	}
}

/* Rank r sends a row, the root stores it as column r of a matrix: a vector resized to one element. */
static void transpose(int root)
{
	MPI_Datatype column, narrow;

	MPI_Type_vector(6, 1, size, MPI_INT, &column);
	MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
	MPI_Type_commit(&narrow);
	check_fill(mine, 6, 20 + rank);
	check_wipe(all, 6 * size);
	MPI_Gather(mine, 6, MPI_INT, all, 1, narrow, root, WORLD);
	for (int i = 0; rank == root && i < 6 * size; i++)
		CHECK_INT(all[i], check_value(20 + i % size, i / size));
	check_wipe(mine, 6);
	MPI_Scatter(all, 1, narrow, mine, 6, MPI_INT, root, WORLD);
	CHECK(check_filled(mine, 6, 20 + rank));
	MPI_Type_free(&column);
	MPI_Type_free(&narrow);
}

int main(int argc, char **argv)
{
	const int counts[] = {0, 1, 5, 200, MAX};

	check_begin(&argc, &argv);
	all = malloc(MAX * size * sizeof *all);
	for (int root = 0; root < size; root++) {
		for (int c = 0; c < LEN(counts); c++) {
			gather(root, counts[c]);
			gather_in_place(root, counts[c]);
			scatter(root, counts[c]);
			scatter_in_place(root, counts[c]);
		}
		transpose(root);
	}
	free(all);
	return check_end("gather_scatter");
}
