/* Do Probe and Iprobe show the message the next receive gets, without taking it? */
#include "check.h"

static void probe_known(int from)
{
	MPI_Status status;
	int n, *data;

	MPI_Probe(from, 4, WORLD, &status);
	CHECK_INT(status.MPI_SOURCE, from);
	CHECK_INT(status.MPI_TAG, 4);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK_INT(n, 100 * from + 1);
	data = malloc(n * sizeof *data);
	MPI_Recv(data, n, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, &status);
	CHECK(check_filled(data, n, from));
	free(data);
}

static void iprobe_any(void)
{
	MPI_Status status, again;
	int flag = 0, n, value;

	while (!flag)
		MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &flag, &status);
	MPI_Iprobe(status.MPI_SOURCE, status.MPI_TAG, WORLD, &flag, &again);
	CHECK(flag);
	MPI_Get_count(&again, MPI_INT, &n);
	CHECK_INT(n, 1);
	MPI_Recv(&value, 1, MPI_INT, status.MPI_SOURCE, status.MPI_TAG, WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(value, status.MPI_SOURCE + status.MPI_TAG);
}

static void nothing_there(void)
{
	int flag = 1;

	MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag);
	MPI_Iprobe(rank, 12345, WORLD, &flag, MPI_STATUS_IGNORE);
	CHECK(!flag);
}

static void send_both(void)
{
	int n = 100 * rank + 1, *data = malloc(n * sizeof *data);

	check_fill(data, n, rank);
	MPI_Send(data, n, MPI_INT, 0, 4, WORLD);
	free(data);
	MPI_Barrier(WORLD);
	data = &(int){rank + 50 + rank % 2};
	MPI_Send(data, 1, MPI_INT, 0, 50 + rank % 2, WORLD);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	nothing_there();
	MPI_Barrier(WORLD);
	if (rank == 0) {
		for (int from = size - 1; from > 0; from--)
			probe_known(from);
		nothing_there();
		MPI_Barrier(WORLD);
		for (int i = 1; i < size; i++)
			iprobe_any();
		nothing_there();
	} else {
		send_both();
	}
	return check_end("probe");
}
