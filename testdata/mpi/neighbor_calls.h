/* Shared by the programs about neighbourhood collectives: their calls on one topology are compared with the same
 * exchange by messages. */
#ifndef NEIGHBOR_CALLS_H
#define NEIGHBOR_CALLS_H

#include "neighbor.h"

#define PLACE 16 /* ints from one block to the next */
#define ROOM ((MAX_NEIGHBORS + 1) * PLACE)
#define EQUAL_BLOCK 3

enum op { ALLGATHER, ALLGATHERV, ALLTOALL, ALLTOALLV, ALLTOALLW };
enum way { BLOCKING, NONBLOCKING, PERSISTENT, WAYS };

/* One side of a call: counts of both widths, displacements in elements and in bytes. */
struct side {
	int n, wide, counts[MAX_NEIGHBORS], displs[MAX_NEIGHBORS];
	MPI_Count long_counts[MAX_NEIGHBORS];
	MPI_Aint long_displs[MAX_NEIGHBORS], byte_displs[MAX_NEIGHBORS];
	MPI_Datatype types[MAX_NEIGHBORS];
	int strides[MAX_NEIGHBORS]; /* ints from one value to the next */
	int buffer[ROOM];
};

static struct side out, in;

/* The values of an edge lie side by side, or every other int; counts are of ints, or of one type for all of them. */
static void set_typed(struct side *s, int i, int n, int form)
{
	s->strides[i] = form == 1 ? 2 : 1;
	s->counts[i] = form ? 1 : n;
	if (!form)
		MPI_Type_dup(MPI_INT, &s->types[i]);
	else if (form == 1)
		MPI_Type_vector(n, 1, 2, MPI_INT, &s->types[i]);
	else
		MPI_Type_contiguous(n, MPI_INT, &s->types[i]);
	MPI_Type_commit(&s->types[i]);
}

/* Blocks in turned order, with gaps. */
static void set_side(struct side *s, enum op op, int n, const struct block *blocks, int forms)
{
	s->n = n;
	check_wipe(s->buffer, ROOM);
	for (int i = 0; i < n; i++) {
		int packed = op == ALLTOALL || op == ALLGATHER;
		s->displs[i] = packed ? i * EQUAL_BLOCK : (n - 1 - i) * PLACE;
		s->strides[i] = 1;
		s->counts[i] = blocks[i].n;
		if (op == ALLTOALLW)
			set_typed(s, i, blocks[i].n, (i + forms) % 3);
		s->long_counts[i] = s->counts[i];
		s->long_displs[i] = s->displs[i];
		s->byte_displs[i] = s->displs[i] * (MPI_Aint)sizeof(int);
	}
}

static void put(struct side *s, int i, const struct block *b)
{
	for (int k = 0; k < b->n; k++)
		s->buffer[s->displs[i] + k * s->strides[i]] = b->values[k];
}

static void free_types(struct side *s)
{
	for (int i = 0; i < s->n; i++)
		MPI_Type_free(&s->types[i]);
}

/* One argument list for the three ways; those with a request free their types before it is complete. */
#define CALL(name, ...)                                                                                                             \
	(way == BLOCKING ? MPI_Neighbor_##name(__VA_ARGS__) : way == NONBLOCKING ? MPI_Ineighbor_##name(__VA_ARGS__, &q) :            \
	 MPI_Neighbor_##name##_init(__VA_ARGS__, MPI_INFO_NULL, &q))
#define CALL_C(name, ...)                                                                                                           \
	(way == BLOCKING ? MPI_Neighbor_##name##_c(__VA_ARGS__) : way == NONBLOCKING ? MPI_Ineighbor_##name##_c(__VA_ARGS__, &q) :    \
	 MPI_Neighbor_##name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &q))

static MPI_Request start(enum op op, enum way way, int wide, int n, MPI_Comm c)
{
	MPI_Request q = MPI_REQUEST_NULL;
	switch (op) {
	case ALLGATHER:
		wide ? CALL_C(allgather, out.buffer, n, MPI_INT, in.buffer, EQUAL_BLOCK, MPI_INT, c)
		     : CALL(allgather, out.buffer, n, MPI_INT, in.buffer, EQUAL_BLOCK, MPI_INT, c);
		break;
	case ALLGATHERV:
		wide ? CALL_C(allgatherv, out.buffer, n, MPI_INT, in.buffer, in.long_counts, in.long_displs, MPI_INT, c)
		     : CALL(allgatherv, out.buffer, n, MPI_INT, in.buffer, in.counts, in.displs, MPI_INT, c);
		break;
	case ALLTOALL:
		wide ? CALL_C(alltoall, out.buffer, n, MPI_INT, in.buffer, EQUAL_BLOCK, MPI_INT, c)
		     : CALL(alltoall, out.buffer, n, MPI_INT, in.buffer, EQUAL_BLOCK, MPI_INT, c);
		break;
	case ALLTOALLV:
		wide ? CALL_C(alltoallv, out.buffer, out.long_counts, out.long_displs, MPI_INT, in.buffer, in.long_counts, in.long_displs, MPI_INT, c)
		     : CALL(alltoallv, out.buffer, out.counts, out.displs, MPI_INT, in.buffer, in.counts, in.displs, MPI_INT, c);
		break;
	default:
		wide ? CALL_C(alltoallw, out.buffer, out.long_counts, out.byte_displs, out.types, in.buffer, in.long_counts, in.byte_displs, in.types, c)
		     : CALL(alltoallw, out.buffer, out.counts, out.byte_displs, out.types, in.buffer, in.counts, in.byte_displs, in.types, c);
	}
	return q;
}

static void check_received(const struct topology *t, const struct block *want)
{
	int expected[ROOM];
	check_wipe(expected, ROOM);
	for (int i = 0; i < t->nsources; i++)
		for (int k = 0; k < want[i].n && t->sources[i] != MPI_PROC_NULL; k++)
			expected[in.displs[i] + k * in.strides[i]] = want[i].values[k];
	for (int i = 0; i < ROOM; i++)
		CHECK_INT(in.buffer[i], expected[i]);
}

static int block_size(enum op op, int from, int edge)
{
	switch (op) {
	case ALLGATHERV:
		return from % (MAX_BLOCK + 1);
	case ALLTOALLV:
	case ALLTOALLW:
		return (from + edge) % (MAX_BLOCK + 1);
	default:
		return EQUAL_BLOCK;
	}
}

static void make_blocks(const struct topology *t, enum op op, int salt, struct block *b)
{
	for (int i = 0; i < t->ndestinations; i++) {
		int edge = op == ALLGATHER || op == ALLGATHERV ? 0 : i;
		b[i].n = block_size(op, t->rank, edge);
		for (int k = 0; k < b[i].n; k++)
			b[i].values[k] = check_value(salt + t->rank, MAX_BLOCK * edge + k);
	}
}

static void put_blocks(const struct topology *t, enum op op, const struct block *b)
{
	int one = op == ALLGATHER || op == ALLGATHERV;
	for (int i = 0; i < t->ndestinations; i++)
		if (one)
			memcpy(out.buffer, b[i].values, sizeof b[i].values);
		else
			put(&out, i, &b[i]);
}

static void check_call(const struct topology *t, enum op op, enum way way, int wide)
{
	struct block mine[MAX_NEIGHBORS], want[MAX_NEIGHBORS];
	memset(mine, 0, sizeof mine);
	memset(want, 0, sizeof want);
	make_blocks(t, op, 0, mine);
	exchange_by_hand(t, mine, want);
	set_side(&out, op, t->ndestinations, mine, 0);
	set_side(&in, op, t->nsources, want, 1);
	put_blocks(t, op, mine);
	MPI_Request q = start(op, way, wide, block_size(op, t->rank, 0), t->comm);
	if (op == ALLTOALLW) {
		free_types(&out);
		free_types(&in);
	}
	for (int round = 0; round < (way == PERSISTENT ? 3 : 1); round++) {
		if (round) {
			make_blocks(t, op, 100 * round, mine);
			exchange_by_hand(t, mine, want);
			put_blocks(t, op, mine);
			check_wipe(in.buffer, ROOM);
		}
		if (way == PERSISTENT)
			MPI_Start(&q);
		if (way != BLOCKING)
			MPI_Wait(&q, MPI_STATUS_IGNORE);
		check_received(t, want);
	}
	if (way == PERSISTENT)
		MPI_Request_free(&q);
}

static inline void check_all(const struct topology *t)
{
	for (int op = 0; op <= ALLTOALLW; op++)
		for (int way = 0; way < WAYS; way++)
			for (int wide = 0; wide < 2; wide++)
				check_call(t, op, way, wide);
}

/* What MPICH 4.0.2 can do, too: not alltoallw between neighbours that differ, nor large counts in those with a request. */
static inline void check_most(const struct topology *t)
{
	for (int op = 0; op < ALLTOALLW; op++)
		for (int way = 0; way < WAYS; way++)
			for (int wide = 0; wide < 1 + (way == BLOCKING); wide++)
				check_call(t, op, way, wide);
}

#endif
