/* Calls with and without an answer: of all sizes, to itself and others, in order, on any communicator, by request; and what is wrong with them. */
#include "ampi_rpc.h"
#include "../mpi/check.h"

#define LARGE (1 << 20)

static int ran, next[64];

static size_t add(const void *arg, size_t size, void *reply, size_t capacity, int origin, MPI_Comm comm)
{
	int me;
	MPI_Comm_rank(comm, &me);
	const int *in = arg;
	int *out = reply;
	CHECK(size == 2 * sizeof *in && capacity == sizeof *out && (uintptr_t)arg % 16 == 0);
	*out = in[0] + in[1] + 1000 * me + 1000000 * origin;
	return sizeof *out;
}

/* Every byte one more. */
static size_t raise_all(const void *arg, size_t size, void *reply, size_t capacity, int origin, MPI_Comm comm)
{
	const unsigned char *in = arg;
	unsigned char *out = reply;
	(void)origin, (void)comm;
	CHECK(capacity >= size);
	for (size_t i = 0; i < size; i++)
		out[i] = in[i] + 1;
	return size;
}

static size_t too_much(const void *arg, size_t size, void *reply, size_t capacity, int origin, MPI_Comm comm)
{
	(void)arg, (void)size, (void)reply, (void)origin, (void)comm;
	return capacity + 1;
}

static void in_order(const void *arg, size_t size, int origin, MPI_Comm comm)
{
	(void)comm;
	int number;
	CHECK(size >= sizeof number);
	memcpy(&number, arg, sizeof number);
	CHECK(number == next[origin]);
	next[origin]++;
	ran++;
}

static size_t count_in_order(const void *arg, size_t size, void *reply, size_t capacity, int origin, MPI_Comm comm)
{
	(void)capacity;
	in_order(arg, size, origin, comm);
	memcpy(reply, &ran, sizeof ran);
	return sizeof ran;
}

/* A call that makes another one, back to where it came from. */
static void back(const void *arg, size_t size, int origin, MPI_Comm comm)
{
	AMPI_Rpc_ff(origin, in_order, arg, size, comm);
}

static void sums(void)
{
	for (int to = 0; to < size; to++) {
		int in[2] = {rank, to}, out = -1;
		size_t n = sizeof out;
		CHECK(!AMPI_Rpc(to, add, in, sizeof in, &out, &n, MPI_COMM_WORLD));
		CHECK(n == sizeof out && out == rank + to + 1000 * to + 1000000 * rank);
	}
}

static void sizes(void)
{
	unsigned char *in = malloc(LARGE), *out = malloc(LARGE);
	for (int i = 0; i < LARGE; i++)
		in[i] = i * 7 + rank;
	for (size_t n = 0; n <= LARGE; n = n < 40 ? n + 1 : n * 3 / 2 < LARGE ? n * 3 / 2 : n == LARGE ? n + 1 : LARGE) {
		size_t room = n + n % 3;
		memset(out, 0, n);
		CHECK(!AMPI_Rpc((rank + 1) % size, raise_all, in, n, n ? out : NULL, &room, MPI_COMM_WORLD));
		CHECK(room == n);
		for (size_t i = 0; i < n; i++)
			CHECK(out[i] == (unsigned char)(in[i] + 1));
	}
	free(in);
	free(out);
}

/* One-way calls, small and large, and then one that waits: it comes last. */
static void order(void)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size, all = -1;
	char *large = calloc(1, 100000);
	for (int i = 0; i < 200; i++) {
		memcpy(large, &i, sizeof i);
		CHECK(!AMPI_Rpc_ff(to, in_order, large, i % 20 == 7 ? 100000 : sizeof i, MPI_COMM_WORLD));
		memset(large, 0xff, sizeof i); /* the call has a copy */
	}
	int last = 200;
	size_t n = sizeof all;
	CHECK(!AMPI_Rpc(to, count_in_order, &last, sizeof last, &all, &n, MPI_COMM_WORLD));
	CHECK(all == 201);
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(next[from] == 201);
	next[from] = 0;
	free(large);
}

static void requests(void)
{
	enum { N = 50 };
	MPI_Request r[N];
	size_t n[N];
	int in[N][2], out[N];
	for (int i = 0; i < N; i++) {
		in[i][0] = i, in[i][1] = rank, n[i] = sizeof out[i];
		CHECK(!AMPI_Irpc((rank + i) % size, add, in[i], sizeof in[i], &out[i], &n[i], MPI_COMM_WORLD, &r[i]));
	}
	MPI_Status s[N];
	MPI_Waitall(N, r, s);
	for (int i = 0; i < N; i++) {
		int bytes, to = (rank + i) % size;
		MPI_Get_count(&s[i], MPI_BYTE, &bytes);
		CHECK(n[i] == sizeof out[i] && bytes == sizeof out[i] && out[i] == i + rank + 1000 * to + 1000000 * rank);
	}
	CHECK(!AMPI_Irpc(0, add, in[0], sizeof in[0], &out[0], &n[0], MPI_COMM_WORLD, &r[0]));
	MPI_Request_free(&r[0]);
}

static void nested(void)
{
	int zero = 0, to = (rank + 1) % size;
	next[to] = 0;
	ran = 0;
	MPI_Barrier(MPI_COMM_WORLD);
	CHECK(!AMPI_Rpc_ff(to, back, &zero, sizeof zero, MPI_COMM_WORLD));
	while (!ran)
		AMPI_Rpc_progress(AMPI_RPC_IN_CALLS);
	CHECK(ran == 1 && next[to] == 1);
	MPI_Barrier(MPI_COMM_WORLD);
	next[to] = 0;
}

static void communicators(void)
{
	MPI_Comm half;
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
	int me, n;
	MPI_Comm_rank(half, &me);
	MPI_Comm_size(half, &n);
	int in[2] = {5, 6}, out, to = (me + 1) % n;
	size_t room = sizeof out;
	CHECK(!AMPI_Rpc(to, add, in, sizeof in, &out, &room, half));
	CHECK(out == 11 + 1000 * to + 1000000 * me);
	CHECK(!AMPI_Rpc(0, add, in, sizeof in, &out, &room, MPI_COMM_SELF));
	CHECK(out == 11);
	MPI_Barrier(half);
	MPI_Comm_free(&half);
}

static void mistakes(void)
{
	int in[2] = {1, 2}, out = -1, local, class;
	size_t n = sizeof out;
	MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK(AMPI_Rpc(size, add, in, sizeof in, &out, &n, MPI_COMM_WORLD) == MPI_ERR_RANK);
	CHECK(AMPI_Rpc(-5, add, in, sizeof in, &out, &n, MPI_COMM_WORLD) == MPI_ERR_RANK);
	CHECK(AMPI_Rpc(0, NULL, in, sizeof in, &out, &n, MPI_COMM_WORLD) == MPI_ERR_ARG);
	CHECK(AMPI_Rpc(0, add, NULL, sizeof in, &out, &n, MPI_COMM_WORLD) == MPI_ERR_ARG);
	CHECK(AMPI_Rpc(0, add, in, sizeof in, NULL, &n, MPI_COMM_WORLD) == MPI_ERR_ARG);
	CHECK(AMPI_Rpc(0, add, in, sizeof in, &out, NULL, MPI_COMM_WORLD) == MPI_ERR_ARG);
	CHECK(AMPI_Rpc(0, add, in, sizeof in, &out, &n, MPI_COMM_NULL) == MPI_ERR_COMM);
	CHECK(AMPI_Irpc(0, add, in, sizeof in, &out, &n, MPI_COMM_WORLD, NULL) == MPI_ERR_ARG);
	CHECK(AMPI_Rpc_ff(size, in_order, in, sizeof in, MPI_COMM_WORLD) == MPI_ERR_RANK);
	CHECK(AMPI_Rpc_progress(7) == MPI_ERR_ARG);
	CHECK(!AMPI_Rpc(MPI_PROC_NULL, add, in, sizeof in, &out, &n, MPI_COMM_WORLD) && n == 0);
	CHECK(!AMPI_Rpc_ff(MPI_PROC_NULL, in_order, in, sizeof in, MPI_COMM_WORLD));
	n = sizeof out;
	if (rank == 0) { /* the table of segments is printed once */
		CHECK(AMPI_Rpc(0, (AMPI_Rpc_reply_fn)(uintptr_t)&local, in, sizeof in, &out, &n, MPI_COMM_WORLD) == MPI_ERR_ARG);
		CHECK(AMPI_Rpc(size - 1, (AMPI_Rpc_reply_fn)(uintptr_t)next, in, sizeof in, &out, &n, MPI_COMM_WORLD) == MPI_ERR_ARG); /* data */
	}
	int error = AMPI_Rpc((rank + 1) % size, too_much, in, sizeof in, &out, &n, MPI_COMM_WORLD);
	MPI_Error_class(error, &class);
	CHECK(class == MPI_ERR_TRUNCATE);
	MPI_Request r;
	n = sizeof out;
	CHECK(!AMPI_Irpc((rank + 1) % size, too_much, in, sizeof in, &out, &n, MPI_COMM_WORLD, &r));
	CHECK(MPI_Wait(&r, MPI_STATUS_IGNORE) == MPI_ERR_TRUNCATE);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	sums();
	sizes();
	MPI_Barrier(MPI_COMM_WORLD);
	order();
	requests();
	MPI_Barrier(MPI_COMM_WORLD);
	nested();
	communicators();
	MPI_Barrier(MPI_COMM_WORLD);
	mistakes();
	return check_end("calls");
}
