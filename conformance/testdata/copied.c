/* copied once: rank 0 has some memory of each kind and goes to PE 1 (24 MiB that hold something, as much of zeroes, of freed memory and of dead
 * stack). copied pending ROUNDS: while rank 0 goes back and forth between PEs 0 and 1, rank 2 takes from its buffers what it has sent.
 * copied endless: rank 0 goes back and forth with 64 MiB until the job is ended. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MIB 1048576ul

static int rank;

static void check(int good, const char *what)
{
	if (good)
		return;
	printf("FAIL copied: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

static void fill(unsigned *p, size_t bytes, unsigned seed)
{
	for (size_t i = 0; i < bytes / sizeof *p; i++)
		p[i] = seed = seed * 1664525 + 1013904223;
}

static int is_filled(const unsigned *p, size_t bytes, unsigned seed)
{
	for (size_t i = 0; i < bytes / sizeof *p; i++)
		if (p[i] != (seed = seed * 1664525 + 1013904223))
			return 0;
	return 1;
}

static void dig(void)
{
	char room[24 * MIB];
	memset(room, 1, sizeof room);
	__asm__ volatile("" : : "r"(room) : "memory");
}

static void once(void)
{
	unsigned *data = malloc(24 * MIB), *freed = malloc(24 * MIB);
	char *zeroes = malloc(24 * MIB);
	fill(data, 24 * MIB, 1);
	memset(zeroes, 1, 24 * MIB);
	memset(zeroes, 0, 24 * MIB);
	fill(freed, 24 * MIB, 2);
	free(freed);
	dig();
	AMPI_Migrate_to_pe(1);
	check(is_filled(data, 24 * MIB, 1), "the data have changed");
	for (size_t i = 0; i < 24 * MIB; i++)
		check(!zeroes[i], "the zeroes have changed");
}

static void pending(int rounds)
{
	unsigned *p = malloc(2 * MIB);
	for (int i = 0; i < rounds; i++) {
		if (rank == 0) {
			MPI_Request r;
			fill(p, 2 * MIB, i);
			MPI_Isend(p, 2 * MIB, MPI_BYTE, 2, i, MPI_COMM_WORLD, &r);
			AMPI_Migrate_to_pe(~i & 1);
			MPI_Wait(&r, MPI_STATUS_IGNORE);
		}
		if (rank == 2) {
			MPI_Recv(p, 2 * MIB, MPI_BYTE, 0, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			check(is_filled(p, 2 * MIB, i), "a message has changed");
		}
	}
}

static void endless(void)
{
	memset(malloc(64 * MIB), 1, 64 * MIB);
	for (int i = 1;; i++) {
		AMPI_Migrate_to_pe(i & 1);
		if (i == 2) {
			puts("ready");
			fflush(stdout);
		}
	}
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (argc > 2)
		pending(atoi(argv[2]));
	else if (rank == 0)
		(strcmp(argv[1], "once") ? endless : once)();
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		puts("PASS copied");
	MPI_Finalize();
	return 0;
}
