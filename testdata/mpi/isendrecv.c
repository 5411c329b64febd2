/* Do Isendrecv and Isendrecv_replace shift data round a ring with one request, whose status is the receive's? */
#include "check.h"

#define MAX 50000

static int out[MAX], in[MAX];

static void expect_status(const MPI_Status *status, int source, int tag, int n)
{
	int count;

	MPI_Get_count(status, MPI_INT, &count);
	CHECK_INT(status->MPI_SOURCE, source);
	CHECK_INT(status->MPI_TAG, tag);
	CHECK_INT(count, n);
}

static void ring(int n)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size;
	MPI_Request r;
	MPI_Status status;

	check_fill(out, n, rank);
	check_wipe(in, n);
	MPI_Isendrecv(out, n, MPI_INT, to, 3, in, n, MPI_INT, from, 3, WORLD, &r);
	MPI_Wait(&r, &status);
	CHECK(r == MPI_REQUEST_NULL);
	CHECK(check_filled(in, n, from));
	expect_status(&status, from, 3, n);

	MPI_Isendrecv_replace(out, n, MPI_INT, to, 4, from, MPI_ANY_TAG, WORLD, &r);
	MPI_Wait(&r, &status);
	CHECK(check_filled(out, n, from));
	expect_status(&status, from, 4, n);
}

/* Several at once, completed together with other requests; the last one's receive is from nobody. */
static void many(void)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size, got[8], sent[8], other = -1;
	MPI_Request r[10];
	MPI_Status status[10];

	for (int i = 0; i < 8; i++) {
		sent[i] = rank * 10 + i;
		MPI_Isendrecv(&sent[i], 1, MPI_INT, to, i, &got[i], 1, MPI_INT, MPI_ANY_SOURCE, i, WORLD, &r[i]);
	}
	MPI_Isendrecv(&other, 1, MPI_INT, MPI_PROC_NULL, 9, &other, 1, MPI_INT, MPI_PROC_NULL, 9, WORLD, &r[8]);
	r[9] = MPI_REQUEST_NULL;
	MPI_Waitall(10, r, status);
	for (int i = 0; i < 8; i++) {
		CHECK_INT(got[i], from * 10 + i);
		expect_status(&status[i], from, i, 1);
	}
	expect_status(&status[8], MPI_PROC_NULL, MPI_ANY_TAG, 0);
}

static void errors(void)
{
	MPI_Request r = MPI_REQUEST_NULL;
	int small, big[2] = {1, 2};

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	CHECK_FAILS(MPI_Isendrecv(big, 1, MPI_INT, size, 0, &small, 1, MPI_INT, 0, 0, WORLD, &r), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Isendrecv(big, 1, MPI_INT, 0, 0, &small, 1, MPI_INT, -7, 0, WORLD, &r), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Isendrecv(big, 1, MPI_INT, 0, -3, &small, 1, MPI_INT, 0, 0, WORLD, &r), MPI_ERR_TAG);
	CHECK_FAILS(MPI_Isendrecv(big, -1, MPI_INT, 0, 0, &small, 1, MPI_INT, 0, 0, WORLD, &r), MPI_ERR_COUNT);
	MPI_Isendrecv(big, 2, MPI_INT, rank, 1, &small, 1, MPI_INT, rank, 1, WORLD, &r);
	CHECK_FAILS(MPI_Wait(&r, MPI_STATUS_IGNORE), MPI_ERR_TRUNCATE);
	CHECK(r == MPI_REQUEST_NULL);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	ring(0);
	ring(1);
	ring(1000);
	ring(MAX);
	many();
	errors();
	return check_end("isendrecv");
}
