/* Rounds in which ranks exchange what they have summed up, and a rank that fails in the middle. Arguments: how it fails ("fault": always at the same
 * place; "once": a fault, unless the directory exists that is the second argument; "abort"; "input": it does not, and rank 0 reads a number in each round). */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROUNDS 40

/* A file would be gone when the job has gone back to where it was not yet there. */
static int is_first_time(const char *mark)
{
	return !mkdir(mark, 0700);
}

static void fail(const char *how, const char *mark)
{
	if (!strcmp(how, "abort"))
		MPI_Abort(MPI_COMM_WORLD, 7);
	if (!strcmp(how, "fault") || (!strcmp(how, "once") && is_first_time(mark)))
		*(volatile int *)8 = 1;
}

int main(int argc, char **argv)
{
	int rank, size;
	long sum = 0, all = 0;
	const char *how = argv[1], *mark = argc > 2 ? argv[2] : "";
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < ROUNDS; i++) {
		long mine = sum + rank + 1;
		if (!strcmp(how, "input") && rank == 0 && scanf("%ld", &mine) != 1)
			MPI_Abort(MPI_COMM_WORLD, 3);
		MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		sum += all % 1000003;
		usleep(20000);
		if (i == ROUNDS / 2 && rank == size - 1)
			fail(how, mark);
		if (rank == 0) {
			printf("round %d %ld\n", i, sum);
			fflush(stdout);
		}
	}
	MPI_Finalize();
	return 0;
}
