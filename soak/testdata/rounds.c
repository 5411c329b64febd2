/* Rounds in which each rank changes and checks memory of its own and exchanges messages of all sizes. The last line depends on all that has
 * happened, and on nothing else. Arguments: rounds, microseconds that each takes at least, seed. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 16
#define MOST (48 << 10)

static uint64_t state; /* a global variable, of each rank */
static struct {
	uint64_t *words;
	int count;
	uint64_t seed;
} blocks[BLOCKS];

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static uint64_t next(uint64_t *of)
{
	return mix(*of += 0x9e3779b97f4a7c15);
}

static void wrong(const char *what, int round)
{
	printf("WRONG %s in round %d\n", what, round);
	fflush(stdout);
	MPI_Abort(MPI_COMM_WORLD, 9);
}

static void fill(uint64_t *words, int count, uint64_t seed)
{
	for (int i = 0; i < count; i++)
		words[i] = next(&seed);
}

static int is_filled(const uint64_t *words, int count, uint64_t seed)
{
	for (int i = 0; i < count; i++)
		if (words[i] != next(&seed))
			return 0;
	return 1;
}

static void renew(int b)
{
	free(blocks[b].words);
	blocks[b].count = 1 + (int)(next(&state) % (MOST / 8));
	blocks[b].seed = next(&state);
	blocks[b].words = malloc(blocks[b].count * 8);
	fill(blocks[b].words, blocks[b].count, blocks[b].seed);
}

/* Sends to a rank that the round chooses; what comes says how it is made. */
static uint64_t exchange(int round, int rank, int size, uint64_t seed)
{
	uint64_t common = mix(seed + round), tell[2], told[2];
	int shift = 1 + (int)(common % (uint64_t)(size > 1 ? size - 1 : 1));
	int to = (rank + shift) % size, from = (rank + size - shift) % size;
	MPI_Request requests[2];
	tell[0] = 1 + next(&state) % (common & 64 ? MOST / 8 : 16);
	tell[1] = next(&state);
	MPI_Sendrecv(tell, 2, MPI_UINT64_T, to, 1, told, 2, MPI_UINT64_T, from, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	uint64_t *out = malloc(tell[0] * 8), *in = malloc(told[0] * 8);
	fill(out, (int)tell[0], tell[1]);
	MPI_Irecv(in, (int)told[0], MPI_UINT64_T, common & 128 ? MPI_ANY_SOURCE : from, 2 + round % 100, MPI_COMM_WORLD, &requests[0]);
	MPI_Isend(out, (int)tell[0], MPI_UINT64_T, to, 2 + round % 100, MPI_COMM_WORLD, &requests[1]);
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	if (!is_filled(in, (int)told[0], told[1]))
		wrong("message", round);
	free(out);
	free(in);
	return told[1];
}

int main(int argc, char **argv)
{
	int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 100, pause = argc > 2 ? atoi(argv[2]) : 0;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1, sum = 0, all = 0;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	state = mix(seed) + (uint64_t)rank;
	for (int b = 0; b < BLOCKS; b++)
		renew(b);
	for (int i = 0; i < rounds; i++) {
		int b = (int)(next(&state) % BLOCKS);
		sum = mix(sum + exchange(i, rank, size, seed));
		if (!is_filled(blocks[b].words, blocks[b].count, blocks[b].seed))
			wrong("memory", i);
		renew((int)(next(&state) % BLOCKS));
		if (i % 8 == 7) {
			MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
			sum += all;
		}
		if (pause)
			usleep((useconds_t)pause);
		if (rank == 0 && i % 10 == 0) {
			printf("round %d\n", i);
			fflush(stdout);
		}
	}
	MPI_Allreduce(&sum, &all, 1, MPI_UINT64_T, MPI_BXOR, MPI_COMM_WORLD);
	if (rank == 0)
		printf("PASS rounds %016llx\n", (unsigned long long)all);
	MPI_Finalize();
	return 0;
}
