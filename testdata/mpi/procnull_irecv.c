/* Has a non-blocking receive from MPI_PROC_NULL the status of one: source MPI_PROC_NULL, tag MPI_ANY_TAG, count 0? */
#include "check.h"

static void check_null_status(const MPI_Status *status)
{
	int n = -1;

	CHECK_INT(status->MPI_SOURCE, MPI_PROC_NULL);
	CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
	MPI_Get_count(status, MPI_INT, &n);
	CHECK_INT(n, 0);
}

int main(int argc, char **argv)
{
	int value = 42, flag = 0;
	MPI_Request req;
	MPI_Status status;

	check_begin(&argc, &argv);
	MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 5, WORLD, &req);
	MPI_Wait(&req, &status);
	check_null_status(&status);
	MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, 5, WORLD, &req);
	while (!flag)
		MPI_Test(&req, &flag, &status);
	check_null_status(&status);
	MPI_Recv_init(&value, 1, MPI_INT, MPI_PROC_NULL, 5, WORLD, &req);
	MPI_Start(&req);
	MPI_Wait(&req, &status);
	check_null_status(&status);
	MPI_Request_free(&req);
	CHECK_INT(value, 42);
	return check_end("procnull_irecv");
}
