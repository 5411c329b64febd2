/* Has MPI_COMM_WORLD the predefined attributes with lawful values? */
#include "check.h"

static int *get(int key)
{
	void *value = NULL;
	int flag = 0;

	MPI_Comm_get_attr(WORLD, key, &value, &flag);
	return flag ? value : NULL;
}

int main(int argc, char **argv)
{
	int *tag_ub, *io, *global, flag, value;
	MPI_Comm dup;
	void *p;

	check_begin(&argc, &argv);
	tag_ub = get(MPI_TAG_UB);
	CHECK(tag_ub && *tag_ub >= 32767);
	io = get(MPI_IO);
	CHECK(!io || *io == MPI_ANY_SOURCE || *io == MPI_PROC_NULL || (*io >= 0 && *io < size));
	global = get(MPI_WTIME_IS_GLOBAL);
	CHECK(!global || *global == 0 || *global == 1);
	MPI_Comm_dup(WORLD, &dup);
	MPI_Comm_get_attr(dup, MPI_TAG_UB, &p, &flag);
	CHECK(flag && *(int *)p == *tag_ub);
	MPI_Comm_free(&dup);

	/* The largest tag works. */
	MPI_Sendrecv(&rank, 1, MPI_INT, rank, *tag_ub, &value, 1, MPI_INT, rank, *tag_ub, WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(value, rank);
	return check_end("attributes_world");
}
