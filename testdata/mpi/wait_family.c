/* Do Waitany, Waitsome and Waitall report each completion once, with index and status, and skip null requests? */
#include "check.h"

#define N 12

static MPI_Request req[N];
static int data[N];

static void post(void)
{
	for (int i = 0; i < N; i++) {
		req[i] = MPI_REQUEST_NULL;
		data[i] = -1;
		if (i % 4 != 3)
			MPI_Irecv(&data[i], 1, MPI_INT, rank, 20 + i, WORLD, &req[i]);
	}
}

static void send(int i)
{
	MPI_Send(&(int){i * 3}, 1, MPI_INT, rank, 20 + i, WORLD);
}

static void check_status(const MPI_Status *status, int i)
{
	CHECK_INT(status->MPI_SOURCE, rank);
	CHECK_INT(status->MPI_TAG, 20 + i);
	CHECK_INT(data[i], 3 * i);
	CHECK(req[i] == MPI_REQUEST_NULL);
}

static void waitany(void)
{
	const int order[] = {6, 0, 10, 5, 1, 2, 4, 8, 9};
	MPI_Status status;
	int index;

	post();
	for (int k = 0; k < LEN(order); k++) {
		send(order[k]);
		MPI_Waitany(N, req, &index, &status);
		CHECK_INT(index, order[k]);
		check_status(&status, index);
	}
	MPI_Waitany(N, req, &index, &status);
	CHECK_INT(index, MPI_UNDEFINED);
	MPI_Waitany(0, NULL, &index, &status);
	CHECK_INT(index, MPI_UNDEFINED);
}

static void waitsome(void)
{
	int done = 0, n, index[N];
	MPI_Status status[N];

	post();
	for (int i = 0; i < N; i++)
		if (i % 4 != 3)
			send(i);
	while (done < 9) {
		MPI_Waitsome(N, req, &n, index, status);
		CHECK(n > 0 && n <= 9 - done);
		for (int k = 0; k < n; k++)
			check_status(&status[k], index[k]);
		done += n;
	}
	MPI_Waitsome(N, req, &n, index, status);
	CHECK_INT(n, MPI_UNDEFINED);
}

static void waitall(void)
{
	MPI_Status status[N];
	int n;

	post();
	for (int i = N - 1; i >= 0; i--)
		if (i % 4 != 3)
			send(i);
	MPI_Waitall(N, req, status);
	for (int i = 0; i < N; i++) {
		if (i % 4 != 3) {
			check_status(&status[i], i);
			continue;
		}
		CHECK_INT(status[i].MPI_SOURCE, MPI_ANY_SOURCE);
		CHECK_INT(status[i].MPI_TAG, MPI_ANY_TAG);
		MPI_Get_count(&status[i], MPI_INT, &n);
		CHECK_INT(n, 0);
	}
}

/* Waiting for a null request returns an empty status. */
static void nothing(void)
{
	MPI_Request none = MPI_REQUEST_NULL;
	MPI_Status status;
	int flag;

	MPI_Wait(&none, &status);
	CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);
	MPI_Test_cancelled(&status, &flag);
	CHECK(!flag);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	waitany();
	waitsome();
	waitall();
	nothing();
	return check_end("wait_family");
}
