/* Does a nested function (GNU C) work as a reduction operation? Its trampoline lies on the stack, which must be executable. */
#include "check.h"

int main(int argc, char **argv)
{
	int factor, value, got = 0;
	MPI_Op op;

	check_begin(&argc, &argv);
	factor = 1;
	void add(void *in, void *inout, int *len, MPI_Datatype *type)
	{
		(void)type;
		for (int i = 0; i < *len; i++)
			((int *)inout)[i] += factor * ((int *)in)[i];
	}
	MPI_Op_create(add, 1, &op);
	value = rank;
	MPI_Allreduce(&value, &got, 1, MPI_INT, op, MPI_COMM_WORLD);
	CHECK(got == size * (size - 1) / 2);
	MPI_Op_free(&op);
	return check_end("nested_callback");
}
