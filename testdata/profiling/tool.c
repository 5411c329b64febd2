/* A profiling tool (MPI 5.0 chapter 15): counts calls in each rank, changes what one of them does, and tells at the end. */
#include <mpi.h>
#include <stdio.h>

static int sends, receives, barriers, sizes, level = 1, controls;

int MPI_Send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
	sends += level;
	return PMPI_Send(buf, count, type, dest, tag, comm);
}

int MPI_Recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
	receives += level;
	return PMPI_Recv(buf, count, type, source, tag, comm, status);
}

int MPI_Barrier(MPI_Comm comm)
{
	barriers += level;
	return PMPI_Barrier(comm);
}

/* The tool's own use of a function that it wraps is a call of the tool. */
int MPI_Comm_size(MPI_Comm comm, int *size)
{
	int me;

	sizes += level;
	MPI_Comm_rank(comm, &me);
	return PMPI_Comm_size(comm, size);
}

int MPI_Pcontrol(const int value, ...)
{
	level = value != 0;
	controls++;
	return MPI_SUCCESS;
}

int MPI_Finalize(void)
{
	int rank, totals[2], mine[2] = {sends, receives};

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Reduce(mine, totals, 2, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	printf("tool: rank %d: %d sends, %d receives, %d barriers, %d sizes, %d controls\n", rank, sends, receives, barriers, sizes, controls);
	if (rank == 0)
		printf("tool: in all %d sends, %d receives\n", totals[0], totals[1]);
	return PMPI_Finalize();
}
