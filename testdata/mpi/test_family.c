/* Do Test, Testany, Testsome, Testall and Request_get_status say no before and yes after, and free what is done? */
#include "check.h"

#define N 6

static MPI_Request req[N];
static int data[N];

static void post(void)
{
	for (int i = 0; i < N; i++)
		MPI_Irecv(&data[i], 1, MPI_INT, rank, 30 + i, WORLD, &req[i]);
}

static void send(int i)
{
	MPI_Send(&(int){i + 100}, 1, MPI_INT, rank, 30 + i, WORLD);
}

static void test(void)
{
	MPI_Status status;
	int flag;

	MPI_Test(&req[0], &flag, &status);
	CHECK(!flag && req[0] != MPI_REQUEST_NULL);
	MPI_Request_get_status(req[0], &flag, &status);
	CHECK(!flag);
	send(0);
	for (flag = 0; !flag;)
		MPI_Request_get_status(req[0], &flag, &status);
	CHECK(req[0] != MPI_REQUEST_NULL);
	CHECK_INT(status.MPI_TAG, 30);
	MPI_Test(&req[0], &flag, &status);
	CHECK(flag && req[0] == MPI_REQUEST_NULL);
	CHECK_INT(status.MPI_TAG, 30);
	CHECK_INT(data[0], 100);
	MPI_Test(&req[0], &flag, &status);
	CHECK(flag);
	CHECK_INT(status.MPI_SOURCE, MPI_ANY_SOURCE);
}

static void testany(void)
{
	MPI_Status status;
	int flag, index;

	MPI_Testany(N, req, &index, &flag, &status);
	CHECK(!flag);
	CHECK_INT(index, MPI_UNDEFINED);
	send(4);
	for (flag = 0; !flag;)
		MPI_Testany(N, req, &index, &flag, &status);
	CHECK_INT(index, 4);
	CHECK_INT(status.MPI_TAG, 34);
	CHECK(req[4] == MPI_REQUEST_NULL);
}

static void testsome(void)
{
	MPI_Status status[N];
	int n, done = 0, index[N];

	MPI_Testsome(N, req, &n, index, status);
	CHECK_INT(n, 0);
	send(1);
	send(3);
	while (done < 2) {
		MPI_Testsome(N, req, &n, index, status);
		for (int k = 0; k < n; k++)
			CHECK(index[k] == 1 || index[k] == 3);
		done += n;
	}
	CHECK_INT(data[1], 101);
	CHECK_INT(data[3], 103);
}

static void testall(void)
{
	MPI_Status status[N];
	int flag, index;

	MPI_Testall(N, req, &flag, status);
	CHECK(!flag);
	send(2);
	MPI_Testall(N, req, &flag, status);
	CHECK(!flag);
	send(5);
	while (!flag)
		MPI_Testall(N, req, &flag, status);
	CHECK_INT(status[2].MPI_TAG, 32);
	CHECK_INT(status[5].MPI_TAG, 35);
	MPI_Testany(N, req, &index, &flag, status);
	CHECK(flag);
	CHECK_INT(index, MPI_UNDEFINED);
	MPI_Testsome(N, req, &index, &flag, status);
	CHECK_INT(index, MPI_UNDEFINED);
	MPI_Testall(0, NULL, &flag, NULL);
	CHECK(flag);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	post();
	test();
	testany();
	testsome();
	testall();
	return check_end("test_family");
}
