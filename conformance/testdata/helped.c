/*
 * Ranks that have child processes for some time in each round, and none for some time: then they can be saved. Who does not end its children leaves
 * some that sleep for ever. Argument: rounds.
 */
#include <mpi.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static int rank, size;

static void fail(const char *what)
{
	fprintf(stderr, "FAIL helped.c: rank %d: %s\n", rank, what);
	MPI_Abort(MPI_COMM_WORLD, 1);
}

/* A program, started in one of the ways that there are; or a child that executes none. */
static pid_t start(int way)
{
	char *const sleeper[] = {"sleep", "1000", NULL};
	pid_t pid = -1;

	if (way == 0)
		return posix_spawnp(&pid, "sleep", NULL, NULL, sleeper, environ) ? -1 : pid;
	if (way == 1 && (pid = vfork()) == 0) {
		execvp("sleep", sleeper);
		_exit(1);
	}
	if (way == 2 && (pid = fork()) == 0) {
		if (fork() == 0) /* whom the rank does not know */
			execvp("sleep", (char *const[]){"sleep", "0.3", NULL});
		for (;;)
			pause();
	}
	return pid;
}

static void end(pid_t pid)
{
	int status;

	if (kill(pid, SIGKILL) || waitpid(pid, &status, 0) != pid || !WIFSIGNALED(status))
		fail("a child is not what it was");
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	long sum = 0, all = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < rounds; i++) {
		pid_t child = start((i + rank) % 3);
		if (child < 0)
			fail("no child can be started");
		sum += i * rank;
		MPI_Allreduce(&sum, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
		usleep(10000);
		end(child);
		MPI_Barrier(MPI_COMM_WORLD);
		usleep(30000);
		if (rank == 0) {
			printf("round %d %ld\n", i, all);
			fflush(stdout);
		}
	}
	MPI_Finalize();
	return 0;
}
