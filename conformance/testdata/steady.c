/* Rounds of a few milliseconds in which ranks exchange what they have summed up: for jobs that are to be caught in the middle. Arguments:
 * rounds; "call" has the program ask for a checkpoint in the middle, "pipe" has rank 1 hold a pipe, "log" has each rank write a file. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void ask(void)
{
	MPI_Info info;
	MPI_Info_create(&info);
	MPI_Info_set(info, "ampi_checkpoint", "to_file=somewhere");
	AMPI_Migrate(info);
	MPI_Info_free(&info);
}

int main(int argc, char **argv)
{
	int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 100;
	const char *what = argc > 2 ? argv[2] : "";
	double sum = 0, all = 0;
	char name[32];
	FILE *log = NULL;
	int ends[2];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(name, sizeof name, "log%d", rank);
	if ((!strcmp(what, "pipe") && rank == 1 && pipe(ends)) || (!strcmp(what, "log") && !(log = fopen(name, "a"))))
		return 1;
	for (int i = 0; i < rounds; i++) {
		double mine = (sum + rank + 1) / (i + 3), from;
		MPI_Sendrecv(&mine, 1, MPI_DOUBLE, (rank + 1) % size, 0, &from, 1, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		sum += from;
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		usleep(20000);
		if (log && fprintf(log, "%d %.17g\n", i, all) > 0)
			fflush(log);
		if (!strcmp(what, "call") && i == rounds / 2)
			ask();
		if (rank == 0) {
			printf("round %d\n", i);
			fflush(stdout);
		}
	}
	if (rank == 0)
		printf("PASS steady %.17g\n", all);
	MPI_Finalize();
	return 0;
}
