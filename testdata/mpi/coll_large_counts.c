/* Does every collective with large counts give what the one with small counts gives: blocking, non-blocking, and persistent twice? */
#include "check.h"

#define MOST 128
#define GAP 3

static int *in, *want, *got, *out; /* out: the one of want and got that calls write to */
static size_t room;
static MPI_Datatype pair; /* two ints with a gap of one between them, and one behind */

static void fresh(int *buffer)
{
	check_fill(buffer, (int)room, rank + 100);
	out = buffer;
}

/* All of the buffer, so that what a call must not touch is compared, too. */
static void same(const char *what)
{
	if (!memcmp(want, got, room * sizeof(int)))
		return;
	fprintf(stderr, "FAIL rank %d of %d: %s differs from the call with small counts\n", rank, size, what);
	MPI_Abort(WORLD, 1);
}

static void complete(MPI_Request *r, const char *what)
{
	CHECK(*r != MPI_REQUEST_NULL);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	same(what);
}

/* narrow: the arguments with small counts, in parentheses; the rest: those with large ones. */
#define COMPARE(Name, name, narrow, ...)                                                                                                \
	do {                                                                                                                            \
		MPI_Request r;                                                                                                          \
		fresh(want);                                                                                                            \
		MPI_##Name narrow;                                                                                                      \
		fresh(got);                                                                                                             \
		CHECK_INT(MPI_##Name##_c(__VA_ARGS__), MPI_SUCCESS);                                                                    \
		same("MPI_" #Name "_c");                                                                                                \
		fresh(got);                                                                                                             \
		MPI_I##name##_c(__VA_ARGS__, &r);                                                                                       \
		complete(&r, "MPI_I" #name "_c");                                                                                       \
		CHECK(r == MPI_REQUEST_NULL);                                                                                           \
		fresh(got);                                                                                                             \
		MPI_##Name##_init_c(__VA_ARGS__, MPI_INFO_NULL, &r);                                                                    \
		for (int turn = 0; turn < 2; turn++) {                                                                                  \
			fresh(got);                                                                                                     \
			MPI_Start(&r);                                                                                                  \
			complete(&r, "MPI_" #Name "_init_c");                                                                           \
		}                                                                                                                       \
		MPI_Request_free(&r);                                                                                                   \
	} while (0)

/* Where all counts are scalars the arguments are the same. */
#define SAME(Name, name, ...) COMPARE(Name, name, (__VA_ARGS__), __VA_ARGS__)

static void equal_blocks(int n, MPI_Datatype type, int root)
{
	SAME(Bcast, bcast, out, n, type, root, WORLD);
	SAME(Gather, gather, in, n, type, out, n, type, root, WORLD);
	SAME(Scatter, scatter, in, n, type, out, n, type, root, WORLD);
	SAME(Gather, gather, rank == root ? MPI_IN_PLACE : in, n, type, out, n, type, root, WORLD);
	SAME(Scatter, scatter, in, n, type, rank == root ? MPI_IN_PLACE : out, n, type, root, WORLD);
	SAME(Allgather, allgather, in, n, type, out, n, type, WORLD);
	SAME(Allgather, allgather, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, type, WORLD);
	SAME(Alltoall, alltoall, in, n, type, out, n, type, WORLD);
	SAME(Alltoall, alltoall, MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, type, WORLD);
}

static void reductions(int n, int root)
{
	int parts[MOST];
	MPI_Count long_parts[MOST];

	for (int i = 0; i < size; i++)
		long_parts[i] = parts[i] = i % 3 == 1 ? 0 : n;
	SAME(Reduce, reduce, in, out, n, MPI_INT, MPI_SUM, root, WORLD);
	SAME(Reduce, reduce, rank == root ? MPI_IN_PLACE : in, out, n, MPI_INT, MPI_BXOR, root, WORLD);
	SAME(Allreduce, allreduce, in, out, n, MPI_INT, MPI_MAX, WORLD);
	SAME(Allreduce, allreduce, MPI_IN_PLACE, out, n, MPI_INT, MPI_SUM, WORLD);
	SAME(Scan, scan, in, out, n, MPI_INT, MPI_SUM, WORLD);
	SAME(Exscan, exscan, in, out, n, MPI_INT, MPI_SUM, WORLD);
	SAME(Reduce_scatter_block, reduce_scatter_block, in, out, n, MPI_INT, MPI_SUM, WORLD);
	COMPARE(Reduce_scatter, reduce_scatter, (in, out, parts, MPI_INT, MPI_SUM, WORLD), in, out, long_parts, MPI_INT, MPI_SUM, WORLD);
	fresh(want);
	MPI_Reduce_local(in, want, n, MPI_INT, MPI_PROD);
	fresh(got);
	MPI_Reduce_local_c(in, got, n, MPI_INT, MPI_PROD);
	same("MPI_Reduce_local_c");
}

/* Blocks of different sizes, backwards, with gaps. */
static void unequal_blocks(int n, MPI_Datatype type, int root)
{
	int parts[MOST], at[MOST], to[MOST], from[MOST], mine;
	MPI_Count long_parts[MOST], long_to[MOST], long_from[MOST];
	MPI_Aint long_at[MOST];

	for (int i = 0; i < size; i++) {
		long_parts[i] = parts[i] = n > i ? n - i : i % 2;
		long_at[i] = at[i] = (size - 1 - i) * (n + GAP);
		long_to[i] = to[i] = (rank + 2 * i) % 3 ? (n + rank + i) % (n + GAP) : 0;
		long_from[i] = from[i] = (i + 2 * rank) % 3 ? (n + rank + i) % (n + GAP) : 0;
	}
	mine = parts[rank];
	COMPARE(Gatherv, gatherv, (in, mine, type, out, parts, at, type, root, WORLD), in, mine, type, out, long_parts, long_at, type, root, WORLD);
	COMPARE(Scatterv, scatterv, (in, parts, at, type, out, mine, type, root, WORLD), in, long_parts, long_at, type, out, mine, type, root, WORLD);
	COMPARE(Allgatherv, allgatherv, (in, mine, type, out, parts, at, type, WORLD), in, mine, type, out, long_parts, long_at, type, WORLD);
	COMPARE(Alltoallv, alltoallv, (in, to, at, type, out, from, at, type, WORLD), in, long_to, long_at, type, out, long_from, long_at, type, WORLD);
}

/* Every pair of ranks has a type of its own. */
static void mixed_types(int n)
{
	int each[MOST], at[MOST];
	MPI_Count long_each[MOST];
	MPI_Aint long_at[MOST];
	MPI_Datatype types[MOST];

	for (int i = 0; i < size; i++) {
		long_each[i] = each[i] = (rank + i) % 2 ? n : n / 2;
		long_at[i] = at[i] = i * 4 * n * (int)sizeof(int);
		types[i] = (rank + i) % 3 ? MPI_INT : pair;
	}
	COMPARE(Alltoallw, alltoallw, (in, each, at, types, out, each, at, types, WORLD), in, long_each, long_at, types, out, long_each, long_at, types,
		WORLD);
}

static void make_pair(void)
{
	MPI_Datatype spread, two;

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &spread);
	MPI_Type_contiguous(2, spread, &two);
	MPI_Type_create_resized(two, 0, 4 * sizeof(int), &pair);
	MPI_Type_commit(&pair);
	MPI_Type_free(&spread);
	MPI_Type_free(&two);
}

int main(int argc, char **argv)
{
	static const int counts[] = {0, 1, 70};

	check_begin(&argc, &argv);
	if (size > MOST)
		MPI_Abort(WORLD, 2);
	room = (size_t)(counts[LEN(counts) - 1] + GAP) * 4 * size;
	in = malloc(room * sizeof *in);
	want = malloc(room * sizeof *want);
	got = malloc(room * sizeof *got);
	check_fill(in, (int)room, rank);
	make_pair();
	for (int i = 0; i < LEN(counts); i++) {
		equal_blocks(counts[i], MPI_INT, 0);
		equal_blocks(counts[i], pair, size - 1);
		reductions(counts[i], size / 2);
		unequal_blocks(counts[i], i % 2 ? pair : MPI_INT, size - 1);
		mixed_types(counts[i]);
	}
	MPI_Type_free(&pair);
	return check_end("coll_large_counts");
}
