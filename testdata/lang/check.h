/*
 * Shared by the C and C++ programs: what one rank expects of its own private copy of the process. A failed check makes
 * the program print FAIL and end with code 1; PASS comes from rank 0 when all ranks are content.
 */
#ifndef CHECK_H
#define CHECK_H

#define MPICH_SKIP_MPICXX 1
#define OMPI_SKIP_MPICXX 1
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank = -1, size = -1, check_failures;

#define CHECK(cond) check_that((cond) != 0, #cond, __FILE__, __LINE__)

static inline void check_that(int good, const char *what, const char *file, int line)
{
	if (good)
		return;
	check_failures++;
	fprintf(stderr, "FAIL %s:%d: rank %d of %d: %s\n", file, line, rank, size, what);
}

static inline void check_begin(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
}

/* Let every other rank run: what it does to its own state must not be seen here. */
static inline void check_others_run(void)
{
	int to = (rank + 1) % size, from = (rank + size - 1) % size, out = rank, in = -1;

	MPI_Sendrecv(&out, 1, MPI_INT, to, 77, &in, 1, MPI_INT, from, 77, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	CHECK(in == from);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* Ends MPI. Returns the exit code for main. */
static inline int check_end(const char *name)
{
	int all = 0;

	MPI_Allreduce(&check_failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%s %s\n", all ? "FAILED" : "PASS", name);
	fflush(stdout);
	MPI_Finalize();
	return all != 0;
}

#endif
