// build: $CC -O0 debugged.c parts.c -o a.out
/* A program for debuggers: variables with values that tell the rank, in two files; it waits, computes or crashes as it is told. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parts.h"

int shared_name;
static int file_static;

int main(int argc, char **argv)
{
	int rank;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	shared_name = 10 * rank;
	file_static = 100 * rank;
	other_file = 1000 * rank;
	descend(3, rank, argc > 1 ? argv[1] : "");
	MPI_Finalize();
	return file_static - 100 * rank;
}
