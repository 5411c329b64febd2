/* Are thousands of unexpected messages kept and found by tag in any order? */
#include "check.h"

#define MESSAGES 5000

static void send_many(void)
{
	int data[8];

	for (int i = 0; i < MESSAGES; i++) {
		check_fill(data, 8, i);
		MPI_Send(data, i % 9, MPI_INT, 0, i, WORLD);
	}
}

static void receive(int from, int tag)
{
	int data[8], n;
	MPI_Status status;

	MPI_Recv(data, 8, MPI_INT, from, tag, WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK_INT(n, tag % 9);
	CHECK(check_filled(data, n, tag));
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == 1)
		send_many();
	MPI_Barrier(WORLD);
	if (rank == 0) {
		for (int tag = MESSAGES - 1; tag >= 0; tag -= 2)
			receive(1, tag);
		for (int i = 0; i < MESSAGES / 2; i++)
			receive(i % 2 ? MPI_ANY_SOURCE : 1, 2 * (i * 7 % (MESSAGES / 2)));
	}
	return check_end("unexpected");
}
