/* Do statuses have AMPI's fields beside the standard's in a program that is compiled with -ampi-compat? */
#include "../mpi/check.h"

static void expect(const MPI_Status *s, int bytes, MPI_Comm comm)
{
	int n;

	CHECK_INT(s->MPI_LENGTH, bytes);
	CHECK(s->MPI_COMM == comm);
	CHECK_INT(s->MPI_CANCEL, 0);
	CHECK_INT(MPI_Get_count(s, MPI_BYTE, &n), MPI_SUCCESS);
	CHECK_INT(n, bytes);
}

static void receive(MPI_Comm comm)
{
	int data[10] = {0}, from = (rank + size - 1) % size, to = (rank + 1) % size, flag = 0;
	MPI_Status s;
	MPI_Request r;
	MPI_Message m;

	MPI_Isend(data, 7, MPI_INT, to, 1, comm, &r);
	MPI_Probe(from, 1, comm, &s);
	expect(&s, 28, comm);
	MPI_Recv(data, 10, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &s);
	expect(&s, 28, comm);
	CHECK(s.MPI_SOURCE == from && s.MPI_TAG == 1);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	MPI_Irecv(data, 10, MPI_INT, from, 2, comm, &r);
	MPI_Send(data, 3, MPI_INT, to, 2, comm);
	MPI_Wait(&r, &s);
	expect(&s, 12, comm);
	MPI_Sendrecv(data, 2, MPI_INT, to, 3, data + 5, 5, MPI_INT, from, 3, comm, &s);
	expect(&s, 8, comm);
	MPI_Isend(data, 1, MPI_INT, to, 4, comm, &r);
	while (!flag)
		MPI_Improbe(from, 4, comm, &flag, &m, &s);
	expect(&s, 4, comm);
	MPI_Mrecv(data, 1, MPI_INT, &m, &s);
	expect(&s, 4, comm);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Comm copy;

	check_begin(&argc, &argv);
	CHECK_INT(sizeof(MPI_Status), 32);
	MPI_Comm_dup(WORLD, &copy);
	receive(WORLD);
	receive(copy);
	MPI_Comm_free(&copy);
	return check_end("compat");
}
