/* Do messages of one sender with one tag arrive in order, whatever their sizes, modes and other tags between them? */
#include "check.h"

#define MESSAGES 400
#define LARGE 30000

static int length(int i) { return i % 37 == 5 ? LARGE : i % 11 == 3 ? 2000 : 1 + i % 4; }

static void send_all(int to)
{
	static int data[LARGE];
	MPI_Request req[MESSAGES];
	MPI_Status status[MESSAGES];
	int n = 0;

	for (int i = 0; i < MESSAGES; i++) {
		data[0] = i;
		if (i % 7 == 0)
			MPI_Isend(&(int){i}, 0, MPI_INT, to, 2, WORLD, &req[n++]);
		if (i % 5 == 4)
			MPI_Ssend(data, length(i), MPI_INT, to, 1, WORLD);
		else
			MPI_Send(data, length(i), MPI_INT, to, 1, WORLD);
	}
	MPI_Waitall(n, req, status);
}

static void receive_all(int from)
{
	static int data[LARGE];
	MPI_Status status;
	int n;

	for (int i = 0; i < MESSAGES; i++) {
		MPI_Recv(data, LARGE, MPI_INT, from, 1, WORLD, &status);
		MPI_Get_count(&status, MPI_INT, &n);
		CHECK_INT(data[0], i);
		CHECK_INT(n, length(i));
	}
	for (int i = 0; i < (MESSAGES + 6) / 7; i++)
		MPI_Recv(data, 0, MPI_INT, from, 2, WORLD, MPI_STATUS_IGNORE);
}

/* Receives posted before anything is sent match in the order in which they were posted. */
static void posted_order(void)
{
	MPI_Request req[50];
	MPI_Status status[50];
	int data[50];

	if (rank == 1) {
		for (int i = 0; i < 50; i++)
			MPI_Irecv(&data[i], 1, MPI_INT, i % 3 ? 0 : MPI_ANY_SOURCE, i % 2 ? 7 : MPI_ANY_TAG, WORLD, &req[i]);
		MPI_Send(NULL, 0, MPI_INT, 0, 8, WORLD);
		MPI_Waitall(50, req, status);
		for (int i = 0; i < 50; i++)
			CHECK_INT(data[i], i);
	} else if (rank == 0) {
		MPI_Recv(NULL, 0, MPI_INT, 1, 8, WORLD, MPI_STATUS_IGNORE);
		for (int i = 0; i < 50; i++)
			MPI_Send(&i, 1, MPI_INT, 1, 7, WORLD);
	}
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	posted_order();
	if (rank == 0)
		for (int r = 1; r < size; r++)
			send_all(r);
	else
		receive_all(0);
	return check_end("ordering");
}
