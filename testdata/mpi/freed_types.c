/* May a user operation ask about its datatype though the program has freed that, and the operation, as soon as the call had begun? */
#include "check.h"

#define N 10
#define PENDING 30

struct pair { int sum, unused, most; };

static int calls;

/* Sums and maxima. */
static void combine(void *a, void *b, int *n, MPI_Datatype *type)
{
	struct pair *in = a, *inout = b;
	int bytes, ni, na, nt, combiner;
	MPI_Aint lb, extent;

	CHECK_INT(MPI_Type_size(*type, &bytes), MPI_SUCCESS);
	CHECK_INT(bytes, 2 * sizeof(int));
	CHECK_INT(MPI_Type_get_extent(*type, &lb, &extent), MPI_SUCCESS);
	CHECK_INT(extent, sizeof *in);
	CHECK_INT(MPI_Type_get_envelope(*type, &ni, &na, &nt, &combiner), MPI_SUCCESS);
	CHECK_INT(combiner, MPI_COMBINER_VECTOR);
	for (int i = 0; i < *n; i++) {
		inout[i].sum += in[i].sum;
		inout[i].most = in[i].most > inout[i].most ? in[i].most : inout[i].most;
	}
	calls++;
}

static MPI_Datatype pair_type(void)
{
	MPI_Datatype t;

	MPI_Type_vector(2, 1, 2, MPI_INT, &t);
	MPI_Type_commit(&t);
	return t;
}

static struct pair in[PENDING][N], out[PENDING][N];

static void fill(void)
{
	for (int k = 0; k < PENDING; k++)
		for (int i = 0; i < N; i++) {
			in[k][i] = (struct pair){rank + i + k, 7, (rank * 5 + k) % (size + 3)};
			out[k][i] = (struct pair){-1, -1, -1};
		}
}

static void expect(int k)
{
	int most = 0;

	for (int r = 0; r < size; r++)
		most = (r * 5 + k) % (size + 3) > most ? (r * 5 + k) % (size + 3) : most;
	for (int i = 0; i < N; i++) {
		CHECK_INT(out[k][i].sum, size * (size - 1) / 2 + size * (i + k));
		CHECK_INT(out[k][i].most, most);
		CHECK_INT(out[k][i].unused, -1);
	}
}

/* Each with a type and an operation of its own; what one leaves must not be what another uses. */
static void pending(void)
{
	MPI_Request r[PENDING];

	fill();
	for (int k = 0; k < PENDING; k++) {
		MPI_Datatype t = pair_type();
		MPI_Op op;
		MPI_Op_create(combine, k % 2, &op);
		MPI_Iallreduce(in[k], out[k], N, t, op, WORLD, &r[k]);
		MPI_Op_free(&op);
		MPI_Type_free(&t);
		CHECK(t == MPI_DATATYPE_NULL);
	}
	MPI_Waitall(PENDING, r, MPI_STATUSES_IGNORE);
	for (int k = 0; k < PENDING; k++)
		expect(k);
}

static void persistent(void)
{
	MPI_Datatype t = pair_type();
	MPI_Op op;
	MPI_Request r;

	MPI_Op_create(combine, 1, &op);
	MPI_Allreduce_init(in[0], out[0], N, t, op, WORLD, MPI_INFO_NULL, &r);
	MPI_Op_free(&op);
	MPI_Type_free(&t);
	for (int turn = 0; turn < 5; turn++) {
		fill();
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		expect(0);
	}
	MPI_Request_free(&r);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	for (int round = 0; round < 5; round++) {
		pending();
		persistent();
	}
	CHECK(size == 1 || calls > 0 || rank);
	return check_end("freed_types");
}
