/* Ranks with much memory that changes in each round, so that it takes time to write it, and a file that grows. Argument: rounds. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hold.h"

#define WORDS (4 << 20)

int main(int argc, char **argv)
{
	int rank, rounds = argc > 1 ? atoi(argv[1]) : 1;
	unsigned *memory = malloc(WORDS * sizeof *memory), state, all;
	char name[32];
	FILE *log;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "log%d", rank);
	if (!memory || !(log = fopen(name, "a")))
		return 1;
	state = (unsigned)rank + 1;
	for (int i = 0; i < rounds; i++) {
		for (int k = 0; k < WORDS; k++)
			memory[k] = state = state * 1664525u + 1013904223u;
		fprintf(log, "%d %u\n", i, state);
		fflush(log);
		MPI_Allreduce(&state, &all, 1, MPI_UNSIGNED, MPI_SUM, MPI_COMM_WORLD);
		usleep(10000);
		if (rank == 0) {
			printf("round %d %u\n", i, all);
			fflush(stdout);
		}
		stay_until_told(rank, i, rounds);
	}
	MPI_Finalize();
	return 0;
}
