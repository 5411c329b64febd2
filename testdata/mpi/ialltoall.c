/* Does Ialltoall give what Alltoall gives, for blocks from none to large ones, types with gaps on either side, in place, and several at
 * a time? Small blocks may travel together, so sizes lie on both sides of every power of two up to some hundreds. */
#include "check.h"

static const int counts[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 100, 127, 128, 129, 255, 256, 257, 1000, 20000};

#define GUARD 0x5a

/* Byte k of the block from one rank to another. */
static unsigned char byte_of(int from, int to, int k, int seed)
{
	return (unsigned char)(from * 31 + to * 7 + k * 3 + seed);
}

static unsigned char *filled(size_t n)
{
	unsigned char *p = malloc(n + 16);
	memset(p, GUARD, n + 16);
	return p;
}

static void fill(unsigned char *in, int n, int seed)
{
	for (int to = 0; to < size; to++)
		for (int k = 0; k < n; k++)
			in[(size_t)to * n + k] = byte_of(rank, to, k, seed);
}

static void verify(const unsigned char *out, int n, int seed)
{
	for (int from = 0; from < size; from++)
		for (int k = 0; k < n; k++)
			CHECK_INT(out[(size_t)from * n + k], byte_of(from, rank, k, seed));
	CHECK_INT(out[(size_t)size * n], GUARD);
}

static void plain(int n)
{
	unsigned char *in = filled((size_t)size * n), *out = filled((size_t)size * n), *blocking = filled((size_t)size * n);
	MPI_Request r;
	fill(in, n, 1);
	MPI_Alltoall(in, n, MPI_BYTE, blocking, n, MPI_BYTE, WORLD);
	MPI_Ialltoall(in, n, MPI_BYTE, out, n, MPI_BYTE, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	verify(out, n, 1);
	CHECK(!memcmp(out, blocking, (size_t)size * n + 16));
	free(in);
	free(out);
	free(blocking);
}

static void in_place(int n)
{
	unsigned char *both = filled((size_t)size * n);
	MPI_Request r;
	fill(both, n, 2);
	MPI_Ialltoall(MPI_IN_PLACE, -1, MPI_DATATYPE_NULL, both, n, MPI_BYTE, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	verify(both, n, 2);
	free(both);
}

/* n elements of a type with a gap after every byte, so that each takes two. */
static MPI_Datatype spread_type(void)
{
	MPI_Datatype t;
	MPI_Type_create_resized(MPI_BYTE, 0, 2, &t);
	MPI_Type_commit(&t);
	return t;
}

static void gaps_sent(int n, MPI_Datatype spread)
{
	unsigned char *in = filled((size_t)size * n * 2), *out = filled((size_t)size * n);
	MPI_Request r;
	for (int to = 0; to < size; to++)
		for (int k = 0; k < n; k++)
			in[2 * ((size_t)to * n + k)] = byte_of(rank, to, k, 3);
	MPI_Ialltoall(in, n, spread, out, n, MPI_BYTE, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	verify(out, n, 3);
	free(in);
	free(out);
}

static void gaps_received(int n, MPI_Datatype spread)
{
	unsigned char *in = filled((size_t)size * n), *out = filled((size_t)size * n * 2);
	MPI_Request r;
	fill(in, n, 4);
	MPI_Ialltoall(in, n, MPI_BYTE, out, n, spread, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (int from = 0; from < size; from++)
		for (int k = 0; k < n; k++) {
			CHECK_INT(out[2 * ((size_t)from * n + k)], byte_of(from, rank, k, 4));
			CHECK_INT(out[2 * ((size_t)from * n + k) + 1], GUARD);
		}
	free(in);
	free(out);
}

#define AT_ONCE 5

/* Of different sizes, and completed in the other order. */
static void several(void)
{
	unsigned char *in[AT_ONCE], *out[AT_ONCE];
	MPI_Request r[AT_ONCE];
	for (int i = 0; i < AT_ONCE; i++) {
		int n = 1 + 90 * i;
		in[i] = filled((size_t)size * n);
		out[i] = filled((size_t)size * n);
		fill(in[i], n, i);
		MPI_Ialltoall(in[i], n, MPI_BYTE, out[i], n, MPI_BYTE, WORLD, &r[i]);
	}
	for (int i = AT_ONCE - 1; i >= 0; i--) {
		MPI_Wait(&r[i], MPI_STATUS_IGNORE);
		verify(out[i], 1 + 90 * i, i);
		free(in[i]);
		free(out[i]);
	}
}

/* Members with a rank of their own, which is not that of the world. */
static void among_some(void)
{
	MPI_Comm some;
	MPI_Request r;
	int n, me, *in = malloc(size * sizeof *in), *out = malloc(size * sizeof *out);
	MPI_Comm_split(WORLD, rank % 2, -rank, &some);
	MPI_Comm_size(some, &n);
	MPI_Comm_rank(some, &me);
	for (int i = 0; i < n; i++)
		in[i] = 100 * me + i;
	MPI_Ialltoall(in, 1, MPI_INT, out, 1, MPI_INT, some, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (int i = 0; i < n; i++)
		CHECK_INT(out[i], 100 * i + me);
	MPI_Comm_free(&some);
	free(in);
	free(out);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Datatype spread = spread_type();
	for (int i = 0; i < LEN(counts); i++) {
		plain(counts[i]);
		in_place(counts[i]);
		gaps_sent(counts[i], spread);
		gaps_received(counts[i], spread);
	}
	MPI_Type_free(&spread);
	several();
	among_some();
	return check_end("ialltoall");
}
