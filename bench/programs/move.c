/* move MEGABYTES MOVES BATCHES: rank 0, with so much heap, goes between PEs 0 and 1. Samples, in microseconds, one for each batch of MOVES moves:
 *
 *   move    until the rank runs on the other PE
 *   touch   after a move, the first touch of each page of so much memory there (one move in each batch is for this and not timed)
 *   cold    memcpy of the heap into memory of the slice that was never touched before
 *   warm    memcpy of the heap into that memory again
 *
 * The first two moves, which map its images there, are not among them. Needs two PEs. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "sample.h"

static double touch(char *p, size_t n)
{
	double t = MPI_Wtime();
	for (size_t i = 0; i < n; i += 4096)
		p[i]++;
	return 1e6 * (MPI_Wtime() - t);
}

static double copy(char *to, const char *from, size_t n)
{
	double t = MPI_Wtime();
	memcpy(to, from, n);
	__asm__ volatile("" : : "r"(to) : "memory");
	return 1e6 * (MPI_Wtime() - t);
}

static void copies(const char *p, size_t n)
{
	char *room = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	sample_print("cold", copy(room, p, n));
	sample_print("warm", copy(room, p, n));
	munmap(room, n);
}

static void batch(char *p, size_t n, int moves)
{
	static int to = 1;
	copies(p, n);
	double t = MPI_Wtime();
	for (int i = 0; i < moves; i++, to = !to)
		AMPI_Migrate_to_pe(to);
	sample_print("move", 1e6 * (MPI_Wtime() - t) / moves);
	char *fresh = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memset(fresh, 1, n);
	AMPI_Migrate_to_pe(to);
	sample_print("touch", touch(fresh, n));
	munmap(fresh, n);
	to = !to;
}

int main(int argc, char **argv)
{
	int rank;
	size_t n = sample_argument(argc, argv, 1, 1) * (size_t)1048576;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 0) {
		char *p = malloc(n);
		for (size_t i = 0; i < n; i++)
			p[i] = (char)(i % 251 + 1);
		AMPI_Migrate_to_pe(1);
		AMPI_Migrate_to_pe(0);
		touch(p, n);
		for (long b = sample_argument(argc, argv, 3, 5); b > 0; b--)
			batch(p, n, (int)sample_argument(argc, argv, 2, 100));
		for (size_t i = 0; i < n; i += 4096)
			sample_require(p[i + 1] == (char)((i + 1) % 251 + 1), "the heap has changed on its way");
		free(p);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
