/* Are the attributes of MPI_COMM_SELF deleted at Finalize, last set first, while MPI still works? */
#include "check.h"

static int order[3], n, bad;

static int delete(MPI_Comm comm, int keyval, void *value, void *extra)
{
	int flag = -1, r = -1;

	(void)keyval, (void)extra;
	order[n++] = (int)(intptr_t)value;
	MPI_Finalized(&flag);
	bad |= flag != 0;
	MPI_Initialized(&flag);
	bad |= flag != 1;
	bad |= MPI_Comm_rank(comm, &r) != MPI_SUCCESS || r != 0 || comm != MPI_COMM_SELF;
	MPI_Barrier(WORLD);
	return MPI_SUCCESS;
}

int main(int argc, char **argv)
{
	int keys[3];

	check_begin(&argc, &argv);
	for (intptr_t i = 0; i < 3; i++) {
		MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, delete, &keys[i], NULL);
		MPI_Comm_set_attr(MPI_COMM_SELF, keys[i], (void *)(i + 1));
		MPI_Comm_free_keyval(&keys[i]);
	}
	CHECK_INT(n, 0);
	MPI_Finalize();
	if (n != 3 || order[0] != 3 || order[1] != 2 || order[2] != 1 || bad)
		return 1;
	if (rank == 0)
		puts("PASS finalize_attributes");
	return 0;
}
