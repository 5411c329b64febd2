/* window BYTES ITERATIONS BATCHES: operations of rank 0 on the last rank's part of a window, in microseconds a call with the flush that ends it.
 *
 * put, get, accumulate (MPI_DOUBLE, MPI_SUM), with 8 bytes also fetch (MPI_Fetch_and_op), swap (MPI_Compare_and_swap), and lock_put and lock_get
 * (a lock that is not shared, one operation, unlock). memcpy is a copy of as many bytes. strided is a put of a face of a cube of doubles, loop the
 * loop that does so by hand. */
#include <mpi.h>
#include <string.h>

#include "sample.h"

#define SIDE 64 /* of the cube */

static MPI_Win win;
static char *memory, *out, *in;
static int target;
static long bytes, iterations;

#define MEASURE(key, n, statement)                                                                                                  \
	do {                                                                                                                          \
		double begin_ = sample_clock(CLOCK_MONOTONIC);                                                                        \
		for (long i_ = 0; i_ < (n); i_++) {                                                                                   \
			statement;                                                                                                    \
		}                                                                                                                     \
		sample_print(key, (sample_clock(CLOCK_MONOTONIC) - begin_) / (n));                                                    \
	} while (0)

static void flushed(void)
{
	MEASURE("put", iterations, MPI_Put(out, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, win); MPI_Win_flush(target, win));
	MEASURE("get", iterations, MPI_Get(in, bytes, MPI_BYTE, target, 0, bytes, MPI_BYTE, win); MPI_Win_flush(target, win));
	MEASURE("accumulate", iterations, MPI_Accumulate(out, bytes / 8, MPI_DOUBLE, target, 0, bytes / 8, MPI_DOUBLE, MPI_SUM, win);
		MPI_Win_flush(target, win));
	MEASURE("memcpy", iterations, memcpy(in, out, bytes); __asm__ volatile("" ::"r"(in) : "memory"));
}

static void single(void)
{
	long one = 1, old, zero = 0;
	MEASURE("fetch", iterations, MPI_Fetch_and_op(&one, &old, MPI_LONG, target, 0, MPI_SUM, win); MPI_Win_flush(target, win));
	MEASURE("swap", iterations, MPI_Compare_and_swap(&one, &zero, &old, MPI_LONG, target, 0, win); MPI_Win_flush(target, win));
}

static void locked(void)
{
	MEASURE("lock_put", iterations, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win); MPI_Put(out, 8, MPI_BYTE, target, 0, 8, MPI_BYTE, win);
		MPI_Win_unlock(target, win));
	MEASURE("lock_get", iterations, MPI_Win_lock(MPI_LOCK_EXCLUSIVE, target, 0, win); MPI_Get(in, 8, MPI_BYTE, target, 0, 8, MPI_BYTE, win);
		MPI_Win_unlock(target, win));
}

/* One double of each row. */
static void face(MPI_Datatype type)
{
	const double *from = (const double *)out;
	double *to = (double *)in;
	long n = 1 + iterations / 1000;
	MEASURE("strided", n, MPI_Put(out, 1, type, target, 0, 1, type, win); MPI_Win_flush(target, win));
	MEASURE("loop", n, for (int i = 0; i < SIDE * SIDE; i++) to[i * SIDE] = from[i * SIDE]; __asm__ volatile("" ::"r"(in) : "memory"));
}

static void measure(MPI_Datatype type)
{
	MPI_Win_lock_all(0, win);
	flushed();
	if (bytes == 8) {
		single();
		face(type);
	}
	MPI_Win_unlock_all(win);
	if (bytes == 8)
		locked();
}

int main(int argc, char **argv)
{
	int rank;
	long room = SIDE * SIDE * SIDE * sizeof(double);
	MPI_Datatype type;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &target);
	target--;
	bytes = sample_argument(argc, argv, 1, 8);
	iterations = sample_argument(argc, argv, 2, 10000);
	room = bytes > room ? bytes : room;
	out = calloc(1, room);
	in = malloc(room);
	memset(in, 0, room);
	MPI_Type_vector(SIDE * SIDE, 1, SIDE, MPI_DOUBLE, &type);
	MPI_Type_commit(&type);
	MPI_Win_allocate(room, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &memory, &win);
	memset(memory, 0, room);
	MPI_Barrier(MPI_COMM_WORLD);
	for (long i = sample_argument(argc, argv, 3, 10); rank == 0 && i > 0; i--)
		measure(type);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Type_free(&type);
	MPI_Win_free(&win);
	MPI_Finalize();
	return 0;
}
