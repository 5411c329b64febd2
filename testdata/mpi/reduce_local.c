/* Does Reduce_local combine two buffers in the order in op inout, for predefined and user operations? */
#include "check.h"

static void minus(void *in, void *inout, int *len, MPI_Datatype *type)
{
	int *a = in, *b = inout;

	CHECK(*type == MPI_INT);
	for (int i = 0; i < *len; i++)
		b[i] = a[i] - b[i];
}

int main(int argc, char **argv)
{
	int a[4] = {1, 2, 3, 4}, b[4] = {10, 20, 30, 40};
	double x = 2.5, y = 4;
	MPI_Op op;

	check_begin(&argc, &argv);
	MPI_Reduce_local(a, b, 4, MPI_INT, MPI_SUM);
	for (int i = 0; i < 4; i++)
		CHECK_INT(b[i], 11 * (i + 1));
	MPI_Op_create(minus, 0, &op);
	MPI_Reduce_local(a, b, 3, MPI_INT, op);
	for (int i = 0; i < 3; i++)
		CHECK_INT(b[i], -10 * (i + 1));
	CHECK_INT(b[3], 44);
	MPI_Op_free(&op);
	MPI_Reduce_local(&x, &y, 1, MPI_DOUBLE, MPI_PROD);
	CHECK(y == 10);
	MPI_Reduce_local(a, b, 0, MPI_INT, MPI_SUM);
	CHECK_INT(b[0], -10);
	return check_end("reduce_local");
}
