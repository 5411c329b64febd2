/* Rounds of a few milliseconds in which ranks exchange what they have summed up: for jobs that are to be caught in the middle. Arguments:
 * rounds; "call" has the program ask for a checkpoint in the middle, "memory" for one in memory, "log" has each rank write a file, others have
 * rank 1, or ranks 1 and 2, hold what cannot be saved. */
#include <fcntl.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/inotify.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hold.h"

static void ask(void)
{
	MPI_Info info;
	MPI_Info_create(&info);
	MPI_Info_set(info, "ampi_checkpoint", "to_file=somewhere");
	AMPI_Migrate(info);
	MPI_Info_free(&info);
}

static void ask_for_memory(void)
{
	AMPI_Migrate(AMPI_INFO_CHKPT_IN_MEMORY);
}

/* What two ranks have open, one of them alone could not have as it was. */
static int share(int rank)
{
	mkfifo("fifo", 0600);
	return rank != 1 && rank != 2 ? 0 : open("fifo", O_RDWR);
}

static int hold(const char *what)
{
	int ends[2];
	if (!strcmp(what, "input"))
		return dup(0);
	if (!strcmp(what, "inotify"))
		return inotify_init();
	if (!strcmp(what, "datagrams"))
		return socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
	if (!strcmp(what, "epoll")) { /* what it watches has another number by now */
		int epoll = pipe(ends) ? -1 : epoll_create1(0);
		return epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &(struct epoll_event){.events = EPOLLIN}) || dup(ends[0]) < 0 ? -1 : close(ends[0]);
	}
	return !strcmp(what, "socket") ? socket(AF_INET, SOCK_STREAM, 0) : 0;
}

int main(int argc, char **argv)
{
	int rank, size, rounds = argc > 1 ? atoi(argv[1]) : 100;
	const char *what = argc > 2 ? argv[2] : "";
	double sum = 0, all = 0;
	char name[32];
	FILE *log = NULL;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	snprintf(name, sizeof name, "log%d", rank);
	if ((rank == 1 && hold(what) < 0) || (!strcmp(what, "fifo") && share(rank) < 0) || (!strcmp(what, "log") && !(log = fopen(name, "a"))))
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
		if (!strcmp(what, "memory") && i == rounds / 2)
			ask_for_memory();
		if (rank == 0) {
			printf("round %d\n", i);
			fflush(stdout);
		}
		stay_until_told(rank, i, rounds);
	}
	if (rank == 0)
		printf("PASS steady %.17g\n", all);
	MPI_Finalize();
	return 0;
}
