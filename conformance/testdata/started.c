/*
 * Requests that are made once and started in each round: partitioned sends and receives of which a part is ready, and persistent collectives. They are
 * under way while ranks sleep, and so may be saved, moved and restored then. Argument: rounds.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hold.h"

#define CHECK(cond) check_that((cond) != 0, #cond, __LINE__)
#define PARTS 12
#define RECEIVED 4 /* partitions of the receiver */
#define N 3000 /* numbers in a partition of the sender; long enough for more than one message */

enum { SEND, RECV, SUM, CAST, ALL, SCAN, BARRIER, KINDS };

static int rank, size, round_number;
static long out[PARTS * N], in[PARTS * N], mine, sum, word, all[64], below;
static MPI_Request request[KINDS];

static void check_that(int good, const char *what, int line)
{
	if (good)
		return;
	fprintf(stderr, "FAIL started.c:%d: rank %d round %d: %s\n", line, rank, round_number, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static long value(int from, int i) { return (long)round_number * 1000003 + from * 7919 + i; }

static int before(void) { return (rank + size - 1) % size; }

static void make(void)
{
	MPI_Psend_init(out, PARTS, N, MPI_LONG, (rank + 1) % size, 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[SEND]);
	MPI_Precv_init(in, RECEIVED, PARTS * N / RECEIVED, MPI_LONG, before(), 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[RECV]);
	MPI_Allreduce_init(&mine, &sum, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[SUM]);
	MPI_Bcast_init(&word, 1, MPI_LONG, size - 1, MPI_COMM_WORLD, MPI_INFO_NULL, &request[CAST]);
	MPI_Allgather_init(&mine, 1, MPI_LONG, all, 1, MPI_LONG, MPI_COMM_WORLD, MPI_INFO_NULL, &request[ALL]);
	MPI_Scan_init(&mine, &below, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD, MPI_INFO_NULL, &request[SCAN]);
	MPI_Barrier_init(MPI_COMM_WORLD, MPI_INFO_NULL, &request[BARRIER]);
}

static void begin(void)
{
	mine = value(rank, 0);
	word = rank == size - 1 ? value(rank, 5) : -1;
	sum = below = -1;
	for (int i = 0; i < PARTS * N; i++) {
		out[i] = value(rank, i);
		in[i] = -1;
	}
	MPI_Startall(KINDS, request);
}

/* Every other partition. None of the receiver's can be there after the first half, however long that takes. */
static void ready(int first)
{
	int has = 0;

	for (int i = first; i < PARTS; i += 2)
		MPI_Pready(i, request[SEND]);
	for (int i = 0, flag; i < RECEIVED; i++, has += flag)
		MPI_Parrived(request[RECV], i, &flag);
	CHECK(first || !has);
}

static void look(void)
{
	long total = 0, up_to = 0;

	for (int r = 0; r < size; r++) {
		total += value(r, 0);
		up_to += r <= rank ? value(r, 0) : 0;
		CHECK(all[r] == value(r, 0));
	}
	CHECK(sum == total && below == up_to && word == value(size - 1, 5));
	for (int i = 0; i < PARTS * N; i++)
		CHECK(in[i] == value(before(), i));
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	CHECK(size <= 64);
	make();
	for (; round_number < rounds; round_number++) {
		begin();
		usleep(rank % 2 ? 0 : 2000);
		ready(0);
		usleep(3000);
		MPI_Barrier(MPI_COMM_WORLD);
		ready(1);
		MPI_Waitall(KINDS, request, MPI_STATUSES_IGNORE);
		look();
		if (rank == 0) {
			printf("round %d %ld\n", round_number, sum);
			fflush(stdout);
		}
		stay_until_told(rank, round_number, rounds);
	}
	for (int k = 0; k < KINDS; k++)
		MPI_Request_free(&request[k]);
	if (rank == 0)
		printf("PASS started\n");
	MPI_Finalize();
	return 0;
}
