/* Can a receive that matches nothing be cancelled, and is a cancelled receive out of the way? */
#include "check.h"

int main(int argc, char **argv)
{
	MPI_Request req, kept, sent;
	MPI_Status status;
	int flag, value = -1, lost = -1;

	check_begin(&argc, &argv);
	MPI_Irecv(&lost, 1, MPI_INT, MPI_ANY_SOURCE, 9, WORLD, &req);
	MPI_Irecv(&value, 1, MPI_INT, rank, 9, WORLD, &kept);
	MPI_Cancel(&req);
	CHECK(req != MPI_REQUEST_NULL);
	MPI_Wait(&req, &status);
	CHECK(req == MPI_REQUEST_NULL);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag);
	value = 0;
	MPI_Send(&(int){rank + 7}, 1, MPI_INT, rank, 9, WORLD);
	MPI_Wait(&kept, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(!flag);
	CHECK_INT(value, rank + 7);
	CHECK_INT(lost, -1);

	/* A cancel that comes too late changes nothing. */
	MPI_Isend(&(int){5}, 1, MPI_INT, rank, 9, WORLD, &sent);
	MPI_Recv_init(&value, 1, MPI_INT, rank, 9, WORLD, &req);
	MPI_Start(&req);
	for (flag = 0; !flag;)
		MPI_Request_get_status(req, &flag, MPI_STATUS_IGNORE);
	MPI_Cancel(&req);
	MPI_Wait(&req, &status);
	MPI_Wait(&sent, MPI_STATUS_IGNORE);
	MPI_Test_cancelled(&status, &flag);
	CHECK(!flag);
	CHECK_INT(value, 5);

	/* A cancelled persistent receive can be started again. */
	MPI_Start(&req);
	MPI_Cancel(&req);
	MPI_Wait(&req, &status);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag);
	MPI_Start(&req);
	MPI_Send(&(int){6}, 1, MPI_INT, rank, 9, WORLD);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	CHECK_INT(value, 6);
	MPI_Request_free(&req);
	return check_end("cancel");
}
