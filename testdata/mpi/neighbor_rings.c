/* Rings of one and two places, where both neighbours are one rank: what goes down arrives as the block from above. */
#include "neighbor.h"

#define MOST 6 /* edges of a grid of three dimensions */

/* How much an edge carries: not the same in the two directions of a dimension, so that blocks in the wrong place do not even fit. */
static int count_of(int i)
{
	return i / 2 % 2 + 1 + i % 2;
}

static int displ_of(int i)
{
	return 4 * i;
}

static void fill(const struct topology *t, int *b)
{
	check_wipe(b, 4 * MOST);
	for (int i = 0; i < t->ndestinations; i++)
		for (int k = 0; k < count_of(i); k++)
			b[displ_of(i) + k] = 1000 * t->rank + 10 * i + k;
}

/* Block i holds what its source has sent the other way, as much of it as an edge carries; nothing else is touched. */
static void check_blocks(const struct topology *t, const int *b, int one)
{
	int want[4 * MOST];
	check_wipe(want, 4 * MOST);
	for (int i = 0; i < t->nsources; i++)
		for (int k = 0; k < (one ? one : count_of(i ^ 1)); k++)
			want[displ_of(i) + k] = 1000 * t->sources[i] + (one ? 0 : 10 * (i ^ 1)) + k;
	for (int i = 0; i < 4 * MOST; i++)
		CHECK_INT(b[i], want[i]);
}

static void check_equal(const struct topology *t)
{
	int out[MOST], in[MOST];
	for (int i = 0; i < t->ndestinations; i++)
		out[i] = 10 * t->rank + i;
	MPI_Neighbor_alltoall(out, 1, MPI_INT, in, 1, MPI_INT, t->comm);
	for (int i = 0; i < t->nsources; i++)
		CHECK_INT(in[i], 10 * t->sources[i] + (i ^ 1));
	MPI_Neighbor_allgather(&t->rank, 1, MPI_INT, in, 1, MPI_INT, t->comm);
	for (int i = 0; i < t->nsources; i++)
		CHECK_INT(in[i], t->sources[i]);
}

static void check_unequal(const struct topology *t)
{
	int out[4 * MOST], in[4 * MOST], sends[MOST], receives[MOST], displs[MOST];
	MPI_Aint bytes[MOST];
	MPI_Datatype types[MOST];
	MPI_Request q;
	fill(t, out);
	for (int i = 0; i < MOST; i++) {
		sends[i] = count_of(i);
		receives[i] = count_of(i ^ 1);
		displs[i] = displ_of(i);
		bytes[i] = displs[i] * (MPI_Aint)sizeof(int);
		types[i] = MPI_INT;
	}
	check_wipe(in, 4 * MOST);
	MPI_Neighbor_alltoallv(out, sends, displs, MPI_INT, in, receives, displs, MPI_INT, t->comm);
	check_blocks(t, in, 0);
	check_wipe(in, 4 * MOST);
	MPI_Ineighbor_alltoallw(out, sends, bytes, types, in, receives, bytes, types, t->comm, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	check_blocks(t, in, 0);
	for (int i = 0; i < MOST; i++)
		receives[i] = 1;
	check_wipe(in, 4 * MOST);
	MPI_Neighbor_allgatherv(out, 1, MPI_INT, in, receives, displs, MPI_INT, t->comm);
	check_blocks(t, in, 1);
}

static void check_ring(const struct topology *t)
{
	check_equal(t);
	check_unequal(t);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	small_grids(check_ring);
	return check_end("neighbor_rings");
}
