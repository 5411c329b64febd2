/* Do Mprobe and Improbe take a message out of matching, and Mrecv and Imrecv give it? */
#include "check.h"

static void two_in_reverse(void)
{
	MPI_Message first, second;
	MPI_Status status;
	int value, n;

	MPI_Mprobe(1, 6, WORLD, &first, &status);
	MPI_Mprobe(1, 6, WORLD, &second, MPI_STATUS_IGNORE);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK_INT(n, 1);
	MPI_Mrecv(&value, 1, MPI_INT, &second, &status);
	CHECK_INT(value, 2);
	CHECK(second == MPI_MESSAGE_NULL);
	CHECK_INT(status.MPI_SOURCE, 1);
	CHECK_INT(status.MPI_TAG, 6);
	MPI_Mrecv(&value, 1, MPI_INT, &first, MPI_STATUS_IGNORE);
	CHECK_INT(value, 1);
}

/* A message taken by Mprobe is not seen by a receive. */
static void hidden_from_receive(void)
{
	MPI_Message message;
	int value, flag = 0;

	while (!flag)
		MPI_Improbe(MPI_ANY_SOURCE, 6, WORLD, &flag, &message, MPI_STATUS_IGNORE);
	MPI_Recv(&value, 1, MPI_INT, 1, 6, WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(value, 4);
	MPI_Mrecv(&value, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
	CHECK_INT(value, 3);
}

static void large_by_imrecv(void)
{
	static int data[50000];
	MPI_Message message;
	MPI_Request req;
	MPI_Status status;
	int n;

	MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &message, &status);
	CHECK_INT(status.MPI_TAG, 7);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK_INT(n, LEN(data));
	MPI_Imrecv(data, n, MPI_INT, &message, &req);
	CHECK(message == MPI_MESSAGE_NULL);
	MPI_Wait(&req, &status);
	CHECK_INT(status.MPI_SOURCE, 1);
	CHECK(check_filled(data, n, 7));
}

static void nobody(void)
{
	MPI_Message message = MPI_MESSAGE_NULL;
	MPI_Request req;
	MPI_Status status;
	int flag = 1, value = 5, n;

	MPI_Improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &flag, &message, MPI_STATUS_IGNORE);
	CHECK(!flag);
	MPI_Mprobe(MPI_PROC_NULL, 3, WORLD, &message, &status);
	CHECK(message == MPI_MESSAGE_NO_PROC);
	MPI_Mrecv(&value, 1, MPI_INT, &message, &status);
	CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
	CHECK_INT(status.MPI_TAG, MPI_ANY_TAG);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK_INT(n, 0);
	CHECK_INT(value, 5);
	MPI_Improbe(MPI_PROC_NULL, 3, WORLD, &flag, &message, &status);
	CHECK(flag && message == MPI_MESSAGE_NO_PROC);
	MPI_Imrecv(&value, 1, MPI_INT, &message, &req);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
}

static void send_them(void)
{
	static int data[50000];

	for (int i = 1; i <= 4; i++)
		MPI_Send(&i, 1, MPI_INT, 0, 6, WORLD);
	check_fill(data, LEN(data), 7);
	MPI_Send(data, LEN(data), MPI_INT, 0, 7, WORLD);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	nobody();
	MPI_Barrier(WORLD);
	if (rank == 0) {
		two_in_reverse();
		hidden_from_receive();
		large_by_imrecv();
	}
	if (rank == 1)
		send_them();
	return check_end("mprobe");
}
