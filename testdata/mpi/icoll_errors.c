/* Are wrong arguments of non-blocking collectives named by class, and can such operations neither be cancelled nor freed while they go on? */
#include "check.h"

/* Rank 0 joins when all others have been refused. */
static void under_way(void)
{
	MPI_Request r, copy;

	for (int i = 1; rank == 0 && i < size; i++)
		MPI_Recv(NULL, 0, MPI_INT, i, 1, WORLD, MPI_STATUS_IGNORE);
	MPI_Ibarrier(WORLD, &r);
	copy = r;
	CHECK_FAILS(MPI_Cancel(&r), MPI_ERR_REQUEST);
	if (rank) {
		CHECK_FAILS(MPI_Request_free(&r), MPI_ERR_REQUEST);
		MPI_Send(NULL, 0, MPI_INT, 0, 1, WORLD);
	}
	CHECK(r == copy);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void refused(void)
{
	MPI_Request r;

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	under_way();
	CHECK_FAILS(MPI_Ibcast(&rank, 1, MPI_INT, size, WORLD, &r), MPI_ERR_ROOT);
	CHECK_FAILS(MPI_Ibcast(&rank, -1, MPI_INT, 0, WORLD, &r), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Ibcast(&rank, 1, MPI_DATATYPE_NULL, 0, WORLD, &r), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Iallreduce(&rank, &size, 1, MPI_INT, MPI_OP_NULL, WORLD, &r), MPI_ERR_OP);
	CHECK_FAILS(MPI_Ibarrier(MPI_COMM_NULL, &r), MPI_ERR_COMM);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_ARE_FATAL);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	refused();
	return check_end("icoll_errors");
}
