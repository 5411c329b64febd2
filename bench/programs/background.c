/* background OPERATION BYTES ITERATIONS BATCHES: a collective call in its three ways, as rank 0 sees it, for each batch: blocking
 * (blocking), begun and waited for at once (nonblocking), and started again and again (persistent). OPERATION is barrier, allreduce,
 * bcast, allgather or alltoall, of so many bytes (for each rank, in the last two) that are a multiple of 8. */
#include <mpi.h>
#include <string.h>

#include "sample.h"

#define ALL MPI_COMM_WORLD
static int rank, size, n;
static long *in, *out;
static MPI_Request persistent;

struct operation {
	const char *name;
	void (*blocking)(void);
	void (*begin)(MPI_Request *r);
	void (*prepare)(MPI_Request *r);
	int blocks; /* of each buffer, 0: as many as there are ranks */
};

static void barrier(void) { MPI_Barrier(ALL); }
static void begin_barrier(MPI_Request *r) { MPI_Ibarrier(ALL, r); }
static void prepare_barrier(MPI_Request *r) { MPI_Barrier_init(ALL, MPI_INFO_NULL, r); }

static void bcast(void) { MPI_Bcast(out, n, MPI_LONG, 0, ALL); }
static void begin_bcast(MPI_Request *r) { MPI_Ibcast(out, n, MPI_LONG, 0, ALL, r); }
static void prepare_bcast(MPI_Request *r) { MPI_Bcast_init(out, n, MPI_LONG, 0, ALL, MPI_INFO_NULL, r); }

static void allreduce(void) { MPI_Allreduce(in, out, n, MPI_LONG, MPI_SUM, ALL); }
static void begin_allreduce(MPI_Request *r) { MPI_Iallreduce(in, out, n, MPI_LONG, MPI_SUM, ALL, r); }
static void prepare_allreduce(MPI_Request *r) { MPI_Allreduce_init(in, out, n, MPI_LONG, MPI_SUM, ALL, MPI_INFO_NULL, r); }

static void allgather(void) { MPI_Allgather(in, n, MPI_LONG, out, n, MPI_LONG, ALL); }
static void begin_allgather(MPI_Request *r) { MPI_Iallgather(in, n, MPI_LONG, out, n, MPI_LONG, ALL, r); }
static void prepare_allgather(MPI_Request *r) { MPI_Allgather_init(in, n, MPI_LONG, out, n, MPI_LONG, ALL, MPI_INFO_NULL, r); }

static void alltoall(void) { MPI_Alltoall(in, n, MPI_LONG, out, n, MPI_LONG, ALL); }
static void begin_alltoall(MPI_Request *r) { MPI_Ialltoall(in, n, MPI_LONG, out, n, MPI_LONG, ALL, r); }
static void prepare_alltoall(MPI_Request *r) { MPI_Alltoall_init(in, n, MPI_LONG, out, n, MPI_LONG, ALL, MPI_INFO_NULL, r); }

static const struct operation operations[] = {
	{"barrier", barrier, begin_barrier, prepare_barrier, 1},
	{"bcast", bcast, begin_bcast, prepare_bcast, 1},
	{"allreduce", allreduce, begin_allreduce, prepare_allreduce, 1},
	{"allgather", allgather, begin_allgather, prepare_allgather, 0},
	{"alltoall", alltoall, begin_alltoall, prepare_alltoall, 0},
};

static const struct operation *find_operation(const char *name)
{
	for (unsigned i = 0; i < sizeof operations / sizeof *operations; i++)
		if (!strcmp(operations[i].name, name))
			return &operations[i];
	sample_require(0, "no such operation");
	return NULL;
}

static void blocking(const struct operation *o)
{
	o->blocking();
}

static void nonblocking(const struct operation *o)
{
	MPI_Request r;
	o->begin(&r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
}

static void again(const struct operation *o)
{
	(void)o;
	MPI_Start(&persistent);
	MPI_Wait(&persistent, MPI_STATUS_IGNORE);
}

static void measure(const char *key, void (*way)(const struct operation *o), const struct operation *o, long iterations)
{
	MPI_Barrier(ALL);
	double start = sample_clock(CLOCK_MONOTONIC);
	for (long i = 0; i < iterations; i++)
		way(o);
	if (rank == 0)
		sample_print(key, (sample_clock(CLOCK_MONOTONIC) - start) / iterations);
}

/* Each element says whose it is. */
static void prepare(const struct operation *o)
{
	long elements = (long)n * (o->blocks ? o->blocks : size);
	in = malloc(elements * sizeof *in + 1);
	out = calloc(elements + 1, sizeof *out);
	for (long i = 0; i < elements; i++)
		in[i] = rank;
	o->prepare(&persistent);
}

static void verify(const struct operation *o)
{
	if (o->blocking == allreduce)
		sample_require(out[n - 1] == size * (size - 1l) / 2, "the sum is wrong");
	if (!o->blocks)
		sample_require(out[(long)n * size - 1] == size - 1, "the wrong block arrived");
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(ALL, &rank);
	MPI_Comm_size(ALL, &size);
	const struct operation *o = find_operation(argc > 1 ? argv[1] : "barrier");
	n = (sample_argument(argc, argv, 2, 8) + 7) / 8;
	long iterations = sample_argument(argc, argv, 3, 10), batches = sample_argument(argc, argv, 4, 10);
	prepare(o);
	nonblocking(o);
	for (long i = 0; i < batches; i++) {
		measure("blocking", blocking, o, iterations);
		measure("nonblocking", nonblocking, o, iterations);
		measure("persistent", again, o, iterations);
		verify(o);
	}
	MPI_Request_free(&persistent);
	MPI_Finalize();
	return 0;
}
