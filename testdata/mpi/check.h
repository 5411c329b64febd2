/*
 * Shared by the conformance programs. Each asks one question of an MPI library, stops the job with exit code 1 at the
 * first wrong answer, and prints `PASS name` from rank 0 when all ranks are content.
 */
#ifndef CHECK_H
#define CHECK_H

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int rank = -1, size = -1;

#define WORLD MPI_COMM_WORLD
#define LEN(a) ((int)(sizeof(a) / sizeof *(a)))
#define CHECK(cond) check_that((cond) != 0, #cond, __FILE__, __LINE__)
#define CHECK_INT(got, want) check_int((got), (want), #got, __FILE__, __LINE__)
/* The call must fail with this error class; the handler of its object must be MPI_ERRORS_RETURN. */
#define CHECK_FAILS(call, class) CHECK_INT(check_class(call), class)

static inline void check_that(int good, const char *what, const char *file, int line)
{
	if (good)
		return;
	fprintf(stderr, "FAIL %s:%d: rank %d of %d: %s\n", file, line, rank, size, what);
	fflush(stderr);
	MPI_Abort(WORLD, 1);
	exit(1);
}

static inline void check_int(long long got, long long want, const char *what, const char *file, int line)
{
	if (got == want)
		return;
	fprintf(stderr, "FAIL %s:%d: rank %d of %d: %s is %lld, not %lld\n", file, line, rank, size, what, got, want);
	fflush(stderr);
	MPI_Abort(WORLD, 1);
	exit(1);
}

static inline int check_class(int code)
{
	int error_class = -1;

	if (code != MPI_SUCCESS)
		MPI_Error_class(code, &error_class);
	return code == MPI_SUCCESS ? MPI_SUCCESS : error_class;
}

static inline void check_begin(int *argc, char ***argv)
{
	MPI_Init(argc, argv);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
}

static inline int check_end(const char *name)
{
	MPI_Barrier(WORLD);
	if (rank == 0)
		printf("PASS %s\n", name);
	MPI_Finalize();
	return 0;
}

/* A value that depends on where it stands and on a salt: never constant, never the same in two ranks. */
static inline int check_value(int salt, int i)
{
	return (int)((unsigned)salt * 1000003u + (unsigned)i * 7919u + 17u) & 0x7fffffff;
}

static inline void check_fill(int *a, int n, int salt)
{
	for (int i = 0; i < n; i++)
		a[i] = check_value(salt, i);
}

static inline int check_filled(const int *a, int n, int salt)
{
	for (int i = 0; i < n; i++)
		if (a[i] != check_value(salt, i))
			return 0;
	return 1;
}

/* Set all ints to a value no message carries. */
static inline void check_wipe(int *a, int n)
{
	for (int i = 0; i < n; i++)
		a[i] = -1;
}

#endif
