/* Deadlocks of several kinds: the argument says which. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank, size, value;

static void receive(int from, int tag) { MPI_Recv(&value, 1, MPI_INT, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }

static void wait_all(void)
{
	MPI_Request requests[2];

	MPI_Irecv(&value, 1, MPI_INT, rank, 8, MPI_COMM_WORLD, &requests[0]);
	MPI_Irecv(&value, 1, MPI_INT, rank, 9, MPI_COMM_WORLD, &requests[1]);
	MPI_Send(&value, 1, MPI_INT, rank, 8, MPI_COMM_WORLD);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* The odd ranks meet in a communicator of their own, the last of them does not come. */
static void subset(void)
{
	MPI_Comm odd;

	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &odd);
	if (rank == size - 1)
		receive(0, 1);
	if (rank % 2)
		MPI_Barrier(odd);
}

static void background(void)
{
	MPI_Request r;
	if (rank == 0)
		receive(MPI_ANY_SOURCE, 7);
	MPI_Iallreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void hang(const char *kind)
{
	if (strcmp(kind, "recv") == 0)
		receive(size - 1 - rank, 5);
	else if (strcmp(kind, "ssend") == 0)
		MPI_Ssend(&value, 1, MPI_INT, size - 1 - rank, 6, MPI_COMM_WORLD);
	else if (strcmp(kind, "probe") == 0)
		MPI_Probe(size - 1 - rank, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else if (strcmp(kind, "waitall") == 0)
		wait_all();
	else if (strcmp(kind, "collective") == 0 && rank == 0)
		receive(MPI_ANY_SOURCE, 7);
	else if (strcmp(kind, "collective") == 0)
		MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	else if (strcmp(kind, "background") == 0)
		background();
	else if (strcmp(kind, "root") == 0 && rank > 0)
		MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
	else if (strcmp(kind, "subset") == 0)
		subset();
	else if (strcmp(kind, "unfinalized") == 0 && rank > 0)
		MPI_Barrier(MPI_COMM_WORLD);
	else if (strcmp(kind, "unfinalized") == 0)
		exit(0);
	else if (strcmp(kind, "ended") == 0 && rank > 0)
		receive(0, 4);
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	hang(argc > 1 ? argv[1] : "");
	MPI_Finalize();
	return 0;
}
