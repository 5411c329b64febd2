/* Are requests of all kinds that are freed before they complete, or never started, carried out and out of the way, many times over? */
#include "check.h"

#define ROUNDS 400
#define LONG 20000

static int out[LONG], in[LONG];

static int to(void) { return (rank + 1) % size; }
static int from(void) { return (rank + size - 1) % size; }

/* Pairs that are never started, freed while they go on, and waited for: they are matched in order all the same. */
static void partitioned(int i)
{
	MPI_Request r[2];

	MPI_Psend_init(out, 4, 10, MPI_INT, to(), 1, WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(in, 2, 20, MPI_INT, from(), 1, WORLD, MPI_INFO_NULL, &r[1]);
	if (i % 3) {
		check_fill(out, 40, rank);
		MPI_Startall(2, r);
		MPI_Pready_range(0, 3, r[0]);
	}
	if (i % 3 == 1) {
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		CHECK(check_filled(in, 40, from()));
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	MPI_Barrier(WORLD); /* the next round uses the buffers */
}

static void exchanges(int n)
{
	MPI_Request r;

	MPI_Isendrecv(out, n, MPI_INT, to(), 2, in, n, MPI_INT, from(), 2, WORLD, &r);
	MPI_Request_free(&r);
	MPI_Barrier(WORLD);
}

static void messages(int n)
{
	MPI_Request r[2];
	MPI_Datatype pairs;

	MPI_Type_contiguous(2, MPI_INT, &pairs);
	MPI_Type_commit(&pairs);
	MPI_Irecv(in, n / 2, pairs, from(), 3, WORLD, &r[0]);
	MPI_Send_init(out, n / 2, pairs, to(), 3, WORLD, &r[1]);
	MPI_Type_free(&pairs);
	MPI_Start(&r[1]);
	MPI_Request_free(&r[1]);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Issend(out, n, MPI_INT, to(), 4, WORLD, &r[0]);
	MPI_Cancel(&r[0]); /* nobody will receive it */
	MPI_Request_free(&r[0]);
	MPI_Barrier(WORLD);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	for (int i = 0; i < ROUNDS; i++) {
		partitioned(i);
		exchanges(i % 2 ? 10 : LONG);
		messages(i % 2 ? 10 : LONG);
	}
	return check_end("p2p_freed");
}
