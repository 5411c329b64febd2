/* Does every non-blocking collective give what the blocking one gives, for several counts, types and roots, and in place? */
#include "check.h"

#define COUNTS 5
static const int counts[COUNTS] = {0, 1, 3, 400, 9000};

static int *send, *want, *got;
static MPI_Datatype pair; /* two ints with a gap of one between them */

/* All of a buffer, so that what a call must not touch is compared, too. */
static void same(const char *what, size_t ints)
{
	if (memcmp(want, got, ints * sizeof(int))) {
		fprintf(stderr, "FAIL rank %d of %d: %s differs from the blocking call\n", rank, size, what);
		MPI_Abort(WORLD, 1);
	}
}

static void fresh(size_t ints)
{
	check_fill(send, ints, rank + 1);
	check_fill(want, ints, rank + 100);
	memcpy(got, want, ints * sizeof(int));
}

static void wait_for(MPI_Request *r)
{
	CHECK(*r != MPI_REQUEST_NULL);
	MPI_Wait(r, MPI_STATUS_IGNORE);
	CHECK(*r == MPI_REQUEST_NULL);
}

#define COMPARE(what, ints, blocking, nonblocking)                                                                                  \
	do {                                                                                                                          \
		MPI_Request r;                                                                                                        \
		fresh(ints);                                                                                                          \
		blocking;                                                                                                             \
		nonblocking;                                                                                                          \
		wait_for(&r);                                                                                                         \
		same(what, ints);                                                                                                     \
	} while (0)

static void rooted(int n, MPI_Datatype type, int width, int root)
{
	size_t all = (size_t)n * width * size + 8;
	const void *mine = rank == root ? MPI_IN_PLACE : send;

	COMPARE("Ibcast", all, MPI_Bcast(want, n, type, root, WORLD), MPI_Ibcast(got, n, type, root, WORLD, &r));
	COMPARE("Igather", all, MPI_Gather(send, n, type, want, n, type, root, WORLD),
		MPI_Igather(send, n, type, got, n, type, root, WORLD, &r));
	COMPARE("Igather in place", all, MPI_Gather(mine, n, type, want, n, type, root, WORLD),
		MPI_Igather(mine, n, type, got, n, type, root, WORLD, &r));
	COMPARE("Iscatter", all, MPI_Scatter(send, n, type, want, n, type, root, WORLD),
		MPI_Iscatter(send, n, type, got, n, type, root, WORLD, &r));
	COMPARE("Iscatter in place", all, MPI_Scatter(send, n, type, rank == root ? MPI_IN_PLACE : want, n, type, root, WORLD),
		MPI_Iscatter(send, n, type, rank == root ? MPI_IN_PLACE : got, n, type, root, WORLD, &r));
}

static void unrooted(int n, MPI_Datatype type, int width)
{
	size_t all = (size_t)n * width * size + 8;

	COMPARE("Iallgather", all, MPI_Allgather(send, n, type, want, n, type, WORLD), MPI_Iallgather(send, n, type, got, n, type, WORLD, &r));
	COMPARE("Iallgather in place", all, MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, want, n, type, WORLD),
		MPI_Iallgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, n, type, WORLD, &r));
	COMPARE("Ialltoall", all, MPI_Alltoall(send, n, type, want, n, type, WORLD), MPI_Ialltoall(send, n, type, got, n, type, WORLD, &r));
	COMPARE("Ialltoall in place", all, MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, want, n, type, WORLD),
		MPI_Ialltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, got, n, type, WORLD, &r));
}

/* Integers, so that the order in which they are combined does not show. */
static void reductions(int n, int root)
{
	size_t all = (size_t)n * size + 8;
	const void *mine = rank == root ? MPI_IN_PLACE : send;
	int parts[128], total = 0;

	COMPARE("Ireduce", all, MPI_Reduce(send, want, n, MPI_INT, MPI_SUM, root, WORLD), MPI_Ireduce(send, got, n, MPI_INT, MPI_SUM, root, WORLD, &r));
	COMPARE("Ireduce in place", all, MPI_Reduce(mine, want, n, MPI_INT, MPI_BXOR, root, WORLD),
		MPI_Ireduce(mine, got, n, MPI_INT, MPI_BXOR, root, WORLD, &r));
	COMPARE("Iallreduce", all, MPI_Allreduce(send, want, n, MPI_INT, MPI_MAX, WORLD), MPI_Iallreduce(send, got, n, MPI_INT, MPI_MAX, WORLD, &r));
	COMPARE("Iallreduce in place", all, MPI_Allreduce(MPI_IN_PLACE, want, n, MPI_INT, MPI_SUM, WORLD),
		MPI_Iallreduce(MPI_IN_PLACE, got, n, MPI_INT, MPI_SUM, WORLD, &r));
	COMPARE("Iscan", all, MPI_Scan(send, want, n, MPI_INT, MPI_SUM, WORLD), MPI_Iscan(send, got, n, MPI_INT, MPI_SUM, WORLD, &r));
	COMPARE("Iscan in place", all, MPI_Scan(MPI_IN_PLACE, want, n, MPI_INT, MPI_BXOR, WORLD),
		MPI_Iscan(MPI_IN_PLACE, got, n, MPI_INT, MPI_BXOR, WORLD, &r));
	COMPARE("Iexscan", all, MPI_Exscan(send, want, n, MPI_INT, MPI_SUM, WORLD), MPI_Iexscan(send, got, n, MPI_INT, MPI_SUM, WORLD, &r));
	if (rank) /* rank 0's buffer is undefined after a scan in place */
		COMPARE("Iexscan in place", all, MPI_Exscan(MPI_IN_PLACE, want, n, MPI_INT, MPI_SUM, WORLD),
			MPI_Iexscan(MPI_IN_PLACE, got, n, MPI_INT, MPI_SUM, WORLD, &r));
	else
		COMPARE("Iexscan in place", 0, MPI_Exscan(MPI_IN_PLACE, want, n, MPI_INT, MPI_SUM, WORLD),
			MPI_Iexscan(MPI_IN_PLACE, got, n, MPI_INT, MPI_SUM, WORLD, &r));
	COMPARE("Ireduce_scatter_block", all, MPI_Reduce_scatter_block(send, want, n, MPI_INT, MPI_SUM, WORLD),
		MPI_Ireduce_scatter_block(send, got, n, MPI_INT, MPI_SUM, WORLD, &r));
	for (int i = 0; i < size; i++)
		total += parts[i] = i % 3 == 1 ? 0 : n > i ? n - i : n;
	CHECK(total <= n * size);
	COMPARE("Ireduce_scatter", all, MPI_Reduce_scatter(send, want, parts, MPI_INT, MPI_SUM, WORLD),
		MPI_Ireduce_scatter(send, got, parts, MPI_INT, MPI_SUM, WORLD, &r));
}

/* Blocks of different sizes, backwards, with gaps. */
static void vectors(int n, int root)
{
	size_t all = (size_t)(n + 3) * size + 8;
	int parts[128], places[128], packed[128], to[128], from[128], to_at[128], from_at[128], at = 0;

	for (int i = 0; i < size; i++) {
		parts[i] = n > i ? n - i : i % 2;
		places[i] = (size - 1 - i) * (n + 3);
		packed[i] = at;
		at += parts[i];
		to[i] = (rank + 2 * i) % 3 ? (n + rank + i) % (n + 3) : 0;
		from[i] = (i + 2 * rank) % 3 ? (n + rank + i) % (n + 3) : 0;
		to_at[i] = from_at[i] = places[i];
	}
	COMPARE("Igatherv", all, MPI_Gatherv(send, parts[rank], MPI_INT, want, parts, places, MPI_INT, root, WORLD),
		MPI_Igatherv(send, parts[rank], MPI_INT, got, parts, places, MPI_INT, root, WORLD, &r));
	COMPARE("Iscatterv", all, MPI_Scatterv(send, parts, places, MPI_INT, want, parts[rank], MPI_INT, root, WORLD),
		MPI_Iscatterv(send, parts, places, MPI_INT, got, parts[rank], MPI_INT, root, WORLD, &r));
	COMPARE("Iallgatherv", all, MPI_Allgatherv(send, parts[rank], MPI_INT, want, parts, places, MPI_INT, WORLD),
		MPI_Iallgatherv(send, parts[rank], MPI_INT, got, parts, places, MPI_INT, WORLD, &r));
	COMPARE("Iallgatherv without gaps", all, MPI_Allgatherv(send, parts[rank], MPI_INT, want, parts, packed, MPI_INT, WORLD),
		MPI_Iallgatherv(send, parts[rank], MPI_INT, got, parts, packed, MPI_INT, WORLD, &r));
	COMPARE("Iallgatherv, both ways", all,
		MPI_Allgatherv(send, parts[rank], MPI_INT, want, parts, rank % 2 ? packed : places, MPI_INT, WORLD),
		MPI_Iallgatherv(send, parts[rank], MPI_INT, got, parts, rank % 2 ? packed : places, MPI_INT, WORLD, &r));
	COMPARE("Iallgatherv in place", all, MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, want, parts, places, MPI_INT, WORLD),
		MPI_Iallgatherv(MPI_IN_PLACE, 0, MPI_INT, got, parts, places, MPI_INT, WORLD, &r));
	COMPARE("Ialltoallv", all, MPI_Alltoallv(send, to, to_at, MPI_INT, want, from, from_at, MPI_INT, WORLD),
		MPI_Ialltoallv(send, to, to_at, MPI_INT, got, from, from_at, MPI_INT, WORLD, &r));
}

/* In place, what two members exchange has the same size; and every pair has a type of its own. */
static void mixed(int n)
{
	size_t all = (size_t)(3 * n + 3) * size + 8;
	int each[128], at[128], bytes_at[128];
	MPI_Datatype types[128];

	for (int i = 0; i < size; i++) {
		each[i] = (rank + i) % 2 ? n : n / 2;
		at[i] = i * (3 * n + 3);
		bytes_at[i] = at[i] * (int)sizeof(int);
		types[i] = (rank + i) % 3 ? MPI_INT : pair;
	}
	COMPARE("Ialltoallv in place", all, MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, want, each, at, MPI_INT, WORLD),
		MPI_Ialltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, got, each, at, MPI_INT, WORLD, &r));
	COMPARE("Ialltoallw", all, MPI_Alltoallw(send, each, bytes_at, types, want, each, bytes_at, types, WORLD),
		MPI_Ialltoallw(send, each, bytes_at, types, got, each, bytes_at, types, WORLD, &r));
	COMPARE("Ialltoallw in place", all, MPI_Alltoallw(MPI_IN_PLACE, NULL, NULL, NULL, want, each, bytes_at, types, WORLD),
		MPI_Ialltoallw(MPI_IN_PLACE, NULL, NULL, NULL, got, each, bytes_at, types, WORLD, &r));
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (size > 128)
		MPI_Abort(WORLD, 2);
	size_t room = ((size_t)counts[COUNTS - 1] * 3 + 3) * size + 8;
	send = malloc(room * sizeof *send);
	want = malloc(room * sizeof *want);
	got = malloc(room * sizeof *got);
	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &pair);
	MPI_Datatype two;
	MPI_Type_contiguous(2, pair, &two);
	MPI_Type_free(&pair);
	MPI_Type_create_resized(two, 0, 3 * sizeof(int), &pair);
	MPI_Type_commit(&pair);
	for (int i = 0; i < COUNTS; i++) {
		int n = size > 16 && counts[i] > 400 ? 400 : counts[i];
		for (int root = 0; root < size; root += size > 5 ? size / 3 : 1) {
			rooted(n, MPI_INT, 1, root);
			rooted(n, pair, 3, root);
			reductions(n, root);
			vectors(n, root);
		}
		unrooted(n, MPI_INT, 1);
		unrooted(n, pair, 3);
		mixed(n);
	}
	MPI_Request r;
	MPI_Ibarrier(WORLD, &r);
	wait_for(&r);
	MPI_Type_free(&two);
	MPI_Type_free(&pair);
	return check_end("icoll_same");
}
