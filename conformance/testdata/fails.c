/* Rounds in which ranks exchange what they have summed up, and a rank that fails in the middle. Arguments: how it fails ("fault": always at the same
 * place; "once": a fault, unless there is something in the file that is the second argument; "abort"; "input": it does not, and rank 0 reads a number in each round). */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ROUNDS 40

/* The file is there, and is written over: only what is added is undone when the job goes back. */
static int is_first_time(const char *mark)
{
	char was = 0;
	int fd = open(mark, O_RDWR);
	return fd >= 0 && read(fd, &was, 1) == 1 && was == '0' && pwrite(fd, "1", 1, 0) == 1;
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
