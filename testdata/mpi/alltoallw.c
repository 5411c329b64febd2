/* Does alltoallw use a type, a count and a byte displacement of its own for each partner? */
#include "check.h"

/* Every rank owns some rows of a square matrix and wants the same columns as rows: a distributed transpose. */
static void transpose(void)
{
	int n = 2 * size, *rows = malloc(2 * n * sizeof *rows), *columns = malloc(2 * n * sizeof *columns);
	int *counts = malloc(size * sizeof *counts), *out_at = malloc(size * sizeof *out_at), *in_at = malloc(size * sizeof *in_at);
	MPI_Datatype *out = malloc(size * sizeof *out), *in = malloc(size * sizeof *in), strip, block;

	MPI_Type_vector(2, 1, n, MPI_INT, &strip);
	MPI_Type_create_hvector(2, 1, sizeof(int), strip, &block); /* 2 x 2, by columns */
	MPI_Type_commit(&block);
	for (int r = 0; r < size; r++) {
		counts[r] = 1;
		out_at[r] = in_at[r] = 2 * r * (int)sizeof(int);
		out[r] = block;
		MPI_Type_vector(2, 2, n, MPI_INT, &in[r]);
		MPI_Type_commit(&in[r]);
	}
	for (int i = 0; i < 2 * n; i++)
		rows[i] = (2 * rank + i / n) * 1000 + i % n;
	MPI_Alltoallw(rows, counts, out_at, out, columns, counts, in_at, in, WORLD);
	for (int i = 0; i < 2 * n; i++)
		CHECK_INT(columns[i], i % n * 1000 + 2 * rank + i / n);
	for (int r = 0; r < size; r++)
		MPI_Type_free(&in[r]);
	MPI_Type_free(&strip);
	MPI_Type_free(&block);
	free(rows), free(columns), free(counts), free(out_at), free(in_at), free(out), free(in);
}

/* Even partners get doubles, odd ones chars; counts may be zero. */
static void mixed(void)
{
	int *counts = calloc(4 * size, sizeof *counts), *in_counts = counts + size, *at = counts + 2 * size, *in_at = counts + 3 * size;
	MPI_Datatype *out = malloc(size * sizeof *out), *in = malloc(size * sizeof *in);
	double *send = calloc(4 * size, sizeof *send), *receive = calloc(4 * size, sizeof *receive);

	for (int r = 0; r < size; r++) {
		out[r] = r % 2 ? MPI_CHAR : MPI_DOUBLE;
		in[r] = rank % 2 ? MPI_CHAR : MPI_DOUBLE;
		counts[r] = (rank + r) % 3;
		in_counts[r] = (rank + r) % 3;
		at[r] = in_at[r] = r * 32;
		send[4 * r] = send[4 * r + 1] = rank * 100 + r;
		if (r % 2)
			memset(&send[4 * r], 'a' + rank % 20, 2);
	}
	MPI_Alltoallw(send, counts, at, out, receive, in_counts, in_at, in, WORLD);
	for (int r = 0; r < size; r++)
		for (int i = 0; i < in_counts[r]; i++) {
			if (rank % 2)
				CHECK_INT(((char *)&receive[4 * r])[i], 'a' + r % 20);
			else
				CHECK(receive[4 * r + i] == r * 100 + rank);
		}
	free(counts), free(out), free(in), free(send), free(receive);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	transpose();
	mixed();
	return check_end("alltoallw");
}
