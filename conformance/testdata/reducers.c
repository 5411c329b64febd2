/* reducers WHAT: a reduction in the background calls a function that does more than combine. It often runs while its rank sleeps. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *what;
static __thread int calls;

static void misbehave(void)
{
	int x;
	char name[MPI_MAX_OBJECT_NAME];
	MPI_Info info;
	if (strcmp(what, "recv") == 0)
		MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 77, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	else if (strcmp(what, "barrier") == 0)
		MPI_Barrier(MPI_COMM_WORLD);
	else if (strcmp(what, "exit") == 0)
		exit(5);
	else if (strcmp(what, "abort") == 0)
		MPI_Abort(MPI_COMM_WORLD, 9);
	else if (strcmp(what, "fault") == 0)
		*(volatile int *)0 = 1;
	else if (strcmp(what, "sleep") == 0)
		usleep(100);
	else if (strcmp(what, "served") == 0) {
		MPI_Type_get_name(MPI_INT, name, &x);
		MPI_Info_create(&info);
		MPI_Info_free(&info);
	}
}

static void add(void *in, void *inout, int *n, MPI_Datatype *type)
{
	double unaligned_if_the_stack_is[2] = {0, *n};
	(void)type;
	calls++;
	for (int i = 0; i < *n; i++)
		((int *)inout)[i] += ((int *)in)[i] + (unaligned_if_the_stack_is[1] < 0);
	misbehave();
}

int main(int argc, char **argv)
{
	int rank, size, sum, all;
	MPI_Op op;
	MPI_Request r;
	what = argc > 1 ? argv[1] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Op_create(add, 1, &op);
	for (int i = 0; i < 20; i++) {
		MPI_Iallreduce(&rank, &sum, 1, MPI_INT, op, MPI_COMM_WORLD, &r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		if (sum != size * (size - 1) / 2)
			MPI_Abort(MPI_COMM_WORLD, 1);
	}
	MPI_Reduce(&calls, &all, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0 && all == 20 * (size - 1))
		puts("PASS reducers");
	MPI_Finalize();
	return 0;
}
