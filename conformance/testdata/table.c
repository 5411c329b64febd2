/* A table of 100 MiB that is initialised and hardly ever written. Every rank reads all over it, writes into a page of its own
 * choice, sends from it, receives into it, and sees nothing of what others have written. Prints the memory that the worker of
 * rank 0 has for itself or shares with the job, in KiB. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N 13107200
#define STRIDE 65536
#define BLOCK 8192

extern long table[N];
__asm__(".data\n.globl table\n.balign 4096\ntable: .fill 13107200, 8, 15\n.size table, . - table\n.type table, @object\n");
static long zeros[N];

static void require(int is_true, const char *what, int rank)
{
	if (is_true)
		return;
	fprintf(stderr, "rank %d: %s\n", rank, what);
	exit(1);
}

/* All is as in the file but for a block at `mine` that begins with `first`. */
static void check(int rank, long mine, long first)
{
	for (long i = 0; i < N; i += STRIDE)
		require(table[i] == (i == mine ? first : 15), "the table is not as it was left", rank);
}

static long sum_of(const char *path, const char *name, const char *mapping)
{
	char line[512];
	long sum = 0;
	int counts = !mapping;
	FILE *f = fopen(path, "r");

	while (fgets(line, sizeof line, f))
		if (mapping && strchr("0123456789abcdef", line[0])) /* where the next mapping begins */
			counts = strstr(line, mapping) != NULL;
		else if (counts && !strncmp(line, name, strlen(name)))
			sum += strtol(strchr(line, ':') + 1, NULL, 10);
	fclose(f);
	return sum;
}

/* Not RssShmem, which also counts the program's file where that is in memory. */
static long own_memory(void)
{
	return sum_of("/proc/self/status", "RssAnon:", NULL) + sum_of("/proc/self/status", "VmPTE:", NULL) +
	       sum_of("/proc/self/smaps", "Rss:", " /memfd:");
}

int main(int argc, char **argv)
{
	int rank, size;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	check(rank, -1, 0);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("memory %ld\n", own_memory());
	MPI_Barrier(MPI_COMM_WORLD);

	long mine = (long)(1 + rank % 100) * STRIDE;
	int next = (rank + 1) % size, previous = (rank + size - 1) % size;
	for (int round = 0; round < 3; round++) {
		for (long i = 0; i < BLOCK; i++)
			table[mine + i] = rank + i + round;
		MPI_Barrier(MPI_COMM_WORLD);
		check(rank, mine, rank + round);
		MPI_Sendrecv(table + mine, BLOCK, MPI_LONG, next, 7, zeros, BLOCK, MPI_LONG, previous, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		for (long i = 0; i < BLOCK; i++)
			require(zeros[i] == previous + i + round, "what was sent from the table is wrong", rank);
		MPI_Sendrecv(zeros, BLOCK, MPI_LONG, next, 8, table + mine, BLOCK, MPI_LONG, previous, 8, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		check(rank, mine, (rank + size - 2) % size + round);
		MPI_Allreduce(MPI_IN_PLACE, table + mine, BLOCK, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
		check(rank, mine, size - 1 + round);
	}
	if (rank == 0)
		puts("PASS table");
	MPI_Finalize();
	return 0;
}
