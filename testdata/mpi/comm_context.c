/* Do messages stay in the communicator they were sent in, wildcards and collectives included? */
#include "check.h"

static void point_to_point(MPI_Comm a, MPI_Comm b)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size, in[3];
	MPI_Comm comms[] = {WORLD, a, b};
	int out[] = {rank * 10, rank * 10 + 1, rank * 10 + 2};
	MPI_Request req[6];
	MPI_Status status[6];

	for (int c = 0; c < 3; c++)
		MPI_Isend(&out[c], 1, MPI_INT, to, 5, comms[c], &req[3 + c]);
	for (int c = 2; c >= 0; c--)
		MPI_Irecv(&in[c], 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comms[c], &req[c]);
	MPI_Waitall(6, req, status);
	for (int c = 0; c < 3; c++)
		CHECK_INT(in[c], from * 10 + c);
}

/* A wildcard receive pending on a communicator does not take what a collective on it sends. */
static void collectives(MPI_Comm comm)
{
	MPI_Request req;
	int value = -1, sum, flag;

	MPI_Irecv(&value, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &req);
	for (int i = 0; i < 20; i++) {
		MPI_Allreduce(&i, &sum, 1, MPI_INT, MPI_SUM, comm);
		CHECK_INT(sum, i * size);
		MPI_Barrier(comm);
	}
	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag);
	MPI_Test(&req, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag);
	MPI_Barrier(comm);
	MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 0, comm);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	CHECK_INT(value, (rank + size - 1) % size);
}

int main(int argc, char **argv)
{
	MPI_Comm a, b;

	check_begin(&argc, &argv);
	MPI_Comm_dup(WORLD, &a);
	MPI_Comm_dup(a, &b);
	for (int i = 0; i < 10; i++)
		point_to_point(a, b);
	collectives(WORLD);
	collectives(b);
	MPI_Comm_free(&a);
	MPI_Comm_split(b, 0, 0, &a);
	point_to_point(a, b);
	MPI_Comm_free(&a);
	MPI_Comm_free(&b);
	return check_end("comm_context");
}
