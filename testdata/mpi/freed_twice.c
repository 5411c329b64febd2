/* Is a type that was freed while an operation needs it dead to the program: may it not be freed again, and does it go with the operation? */
#include "check.h"

static void sum(void *a, void *b, int *n, MPI_Datatype *type)
{
	(void)type;
	for (int i = 0; i < 2 * *n; i++)
		((int *)b)[i] += ((int *)a)[i];
}

static int deleted;

static int on_delete(MPI_Datatype t, int key, void *value, void *extra)
{
	(void)t, (void)key, (void)value, (void)extra;
	deleted++;
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int in[2] = {1, 2}, out[2], key;
	MPI_Datatype t, again;
	MPI_Op op;
	MPI_Request r;

	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, on_delete, &key, NULL);
	MPI_Op_create(sum, 1, &op);
	for (int i = 0; i < 100; i++) {
		MPI_Type_contiguous(2, MPI_INT, &t);
		MPI_Type_commit(&t);
		MPI_Type_set_attr(t, key, NULL);
		again = t;
		MPI_Allreduce_init(in, out, 1, t, op, WORLD, MPI_INFO_NULL, &r);
		MPI_Type_free(&t);
		CHECK_INT(deleted, i + 1);
		CHECK_FAILS(MPI_Type_free(&again), MPI_ERR_TYPE);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		CHECK(out[0] == size && out[1] == 2 * size);
		MPI_Request_free(&r);
		CHECK_FAILS(MPI_Type_free(&again), MPI_ERR_TYPE);
	}
	MPI_Op_free(&op);
	MPI_Type_free_keyval(&key);
	return check_end("freed_twice");
}
