/* A handle that was freed names nothing for a while, also when newer objects have come. */
#include "check.h"

#define NEWER 8

static void communicators(void)
{
	MPI_Comm old, stale, newer[NEWER];
	int me;
	MPI_Comm_dup(MPI_COMM_SELF, &old);
	stale = old;
	MPI_Comm_free(&old);
	for (int i = 0; i < NEWER; i++)
		MPI_Comm_dup(MPI_COMM_SELF, &newer[i]);
	CHECK_FAILS(MPI_Comm_rank(stale, &me), MPI_ERR_COMM);
	for (int i = 0; i < NEWER; i++)
		MPI_Comm_free(&newer[i]);
}

static void groups(void)
{
	MPI_Group world, old, stale, newer[NEWER];
	int n, zero = 0;
	MPI_Comm_group(MPI_COMM_WORLD, &world);
	MPI_Group_incl(world, 1, &zero, &old);
	stale = old;
	MPI_Group_free(&old);
	for (int i = 0; i < NEWER; i++)
		MPI_Group_incl(world, 1, &zero, &newer[i]);
	CHECK_FAILS(MPI_Group_size(stale, &n), MPI_ERR_GROUP);
	for (int i = 0; i < NEWER; i++)
		MPI_Group_free(&newer[i]);
	MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	communicators();
	groups();
	return check_end("stale_handles");
}
