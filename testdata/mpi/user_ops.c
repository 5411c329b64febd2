/* Are user operations called with the right count and type, commutative or not, on derived types, in rank order? */
#include "check.h"

typedef struct { long a[2][2]; } matrix;

static int calls;

/* inout = in * inout, modulo a prime: not commutative, associative. */
static void multiply(void *in, void *inout, int *len, MPI_Datatype *type)
{
	matrix *a = in, *b = inout;
	int bytes;

	calls++;
	MPI_Type_size(*type, &bytes);
	CHECK_INT(bytes, sizeof(matrix));
	for (int n = 0; n < *len; n++) {
		matrix c;
		for (int i = 0; i < 2; i++)
			for (int j = 0; j < 2; j++)
				c.a[i][j] = (a[n].a[i][0] * b[n].a[0][j] + a[n].a[i][1] * b[n].a[1][j]) % 10007;
		b[n] = c;
	}
}

static matrix of_rank(int r, int n)
{
	return (matrix){{{r + 1, n + 2}, {3, r * 2 + n}}};
}

static matrix product(int first, int last, int n)
{
	matrix m = of_rank(last, n);
	int one = 1;
	MPI_Datatype type;

	MPI_Type_contiguous(4, MPI_LONG, &type);
	for (int r = last - 1; r >= first; r--) {
		matrix left = of_rank(r, n);
		multiply(&left, &m, &one, &type);
	}
	MPI_Type_free(&type);
	return m;
}

static void check_product(const matrix *got, int first, int last, int n)
{
	matrix want = product(first, last, n);

	CHECK(memcmp(got, &want, sizeof want) == 0);
}

#define N 9

static void non_commutative(void)
{
	MPI_Datatype type;
	MPI_Op op;
	matrix in[N], out[N];
	int commutes;

	MPI_Type_contiguous(4, MPI_LONG, &type);
	MPI_Type_commit(&type);
	MPI_Op_create(multiply, 0, &op);
	MPI_Op_commutative(op, &commutes);
	CHECK(!commutes);
	for (int n = 0; n < N; n++)
		in[n] = of_rank(rank, n);
	for (int root = 0; root < size; root++) {
		memset(out, 0, sizeof out);
		MPI_Reduce(in, out, N, type, op, root, WORLD);
		for (int n = 0; rank == root && n < N; n++)
			check_product(&out[n], 0, size - 1, n);
	}
	MPI_Allreduce(in, out, N, type, op, WORLD);
	for (int n = 0; n < N; n++)
		check_product(&out[n], 0, size - 1, n);
	MPI_Scan(in, out, N, type, op, WORLD);
	for (int n = 0; n < N; n++)
		check_product(&out[n], 0, rank, n);
	MPI_Exscan(in, out, N, type, op, WORLD);
	for (int n = 0; rank > 0 && n < N; n++)
		check_product(&out[n], 0, rank - 1, n);
	MPI_Op_free(&op);
	CHECK(op == MPI_OP_NULL);
	MPI_Type_free(&type);
}

/* On a type with gaps: the gaps of the result stay as they were. */
static void add_sparse(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout;
	MPI_Aint lb, extent;

	MPI_Type_get_extent(*type, &lb, &extent);
	CHECK_INT(extent, 3 * sizeof(int));
	for (int n = 0; n < *len; n++)
		b[3 * n] += a[3 * n], b[3 * n + 1] += a[3 * n + 1];
}

static void sparse(void)
{
	MPI_Datatype two, type;
	MPI_Op op;
	int in[12], out[12], commutes;

	MPI_Type_contiguous(2, MPI_INT, &two);
	MPI_Type_create_resized(two, 0, 3 * sizeof(int), &type);
	MPI_Type_commit(&type);
	MPI_Op_create(add_sparse, 1, &op);
	MPI_Op_commutative(op, &commutes);
	CHECK(commutes);
	for (int i = 0; i < 12; i++)
		in[i] = i + rank, out[i] = -7;
	MPI_Allreduce(in, out, 4, type, op, WORLD);
	for (int i = 0; i < 12; i++)
		CHECK_INT(out[i], i % 3 == 2 ? -7 : i * size + size * (size - 1) / 2);
	MPI_Op_free(&op);
	MPI_Type_free(&two);
	MPI_Type_free(&type);
}

static int expected;

/* Sees whole vectors only: programs exist that compute on the vector as one thing. */
static void add_all(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout;

	(void)type;
	CHECK_INT(*len, expected);
	for (int i = 0; i < *len; i++)
		b[i] += a[i];
}

static void whole_vectors(int commute)
{
	enum { MOST = 40000 };
	int *in = malloc(MOST * sizeof *in), *out = malloc(MOST * sizeof *out);
	MPI_Op op;

	MPI_Op_create(add_all, commute, &op);
	for (int i = 0; i < MOST; i++)
		in[i] = rank + i;
	for (expected = 1; expected <= MOST; expected = expected * 6 + 1) {
		MPI_Reduce(in, out, expected, MPI_INT, op, size - 1, WORLD);
		CHECK(rank != size - 1 || out[expected - 1] == size * (expected - 1) + size * (size - 1) / 2);
		MPI_Allreduce(in, out, expected, MPI_INT, op, WORLD);
		CHECK_INT(out[expected - 1], size * (expected - 1) + size * (size - 1) / 2);
		MPI_Scan(in, out, expected, MPI_INT, op, WORLD);
		CHECK_INT(out[expected - 1], (rank + 1) * (expected - 1) + rank * (rank + 1) / 2);
		MPI_Exscan(in, out, expected, MPI_INT, op, WORLD);
		CHECK(!rank || out[expected - 1] == rank * (expected - 1) + rank * (rank - 1) / 2);
	}
	MPI_Op_free(&op);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	int commutes;

	check_begin(&argc, &argv);
	MPI_Op_commutative(MPI_SUM, &commutes);
	CHECK(commutes);
	non_commutative();
	CHECK(size == 1 || calls > 0);
	sparse();
	whole_vectors(0);
	whole_vectors(1);
	return check_end("user_ops");
}
