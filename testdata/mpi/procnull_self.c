/* Do messages to MPI_PROC_NULL vanish at once, and messages to oneself arrive? */
#include "check.h"

static void check_null_status(const MPI_Status *status)
{
	int n = -1;

	CHECK_INT(status->MPI_SOURCE, MPI_PROC_NULL);
	CHECK_INT(status->MPI_TAG, MPI_ANY_TAG);
	MPI_Get_count(status, MPI_INT, &n);
	CHECK_INT(n, 0);
}

static void proc_null(void)
{
	int value = 42;
	MPI_Request req;
	MPI_Status status;

	MPI_Send(&value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
	MPI_Ssend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD);
	MPI_Issend(&value, 1, MPI_INT, MPI_PROC_NULL, 0, WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	MPI_Recv(&value, 1, MPI_INT, MPI_PROC_NULL, 5, WORLD, &status);
	check_null_status(&status);
	MPI_Irecv(&value, 1, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, WORLD, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	CHECK(req == MPI_REQUEST_NULL);
	MPI_Probe(MPI_PROC_NULL, 1, WORLD, &status);
	check_null_status(&status);
	MPI_Sendrecv(&value, 1, MPI_INT, MPI_PROC_NULL, 1, &value, 1, MPI_INT, MPI_PROC_NULL, 1, WORLD, &status);
	check_null_status(&status);
	CHECK_INT(value, 42);
}

static void self(int n)
{
	int *in = calloc(n + 1, sizeof *in), *out = calloc(n + 1, sizeof *out);
	MPI_Request req[2];
	MPI_Status status[2];

	check_fill(out, n, rank);
	check_wipe(in, n);
	MPI_Isend(out, n, MPI_INT, rank, 3, WORLD, &req[0]);
	MPI_Irecv(in, n, MPI_INT, rank, 3, WORLD, &req[1]);
	MPI_Waitall(2, req, status);
	CHECK(check_filled(in, n, rank));
	CHECK_INT(status[1].MPI_SOURCE, rank);
	check_wipe(in, n);
	MPI_Irecv(in, n, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_SELF, &req[0]);
	MPI_Ssend(out, n, MPI_INT, 0, 4, MPI_COMM_SELF);
	MPI_Wait(&req[0], status);
	CHECK(check_filled(in, n, rank));
	CHECK_INT(status[0].MPI_TAG, 4);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	proc_null();
	self(0);
	self(1);
	self(100000);
	return check_end("procnull_self");
}
