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

int main(int argc, char **argv)
{
	int commutes;

	check_begin(&argc, &argv);
	MPI_Op_commutative(MPI_SUM, &commutes);
	CHECK(commutes);
	non_commutative();
	CHECK(size == 1 || calls > 0);
	sparse();
	return check_end("user_ops");
}
