/* Never ends by itself. Rank 0 has memory that others may share, rank 1 a child process, rank 2 nothing that would hold it; rank 3 ends. */
#include <mpi.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/ipc.h>
#include <sys/shm.h>
#include <unistd.h>

extern char **environ;

static int share(void)
{
	int id = shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
	int failed = id < 0 || shmat(id, NULL, 0) == (void *)-1;

	if (id >= 0)
		shmctl(id, IPC_RMID, NULL); /* it goes with the last who has it */
	return failed;
}

static int start_child(void)
{
	pid_t pid;
	return posix_spawnp(&pid, "sleep", NULL, NULL, (char *[]){"sleep", "1000", NULL}, environ);
}

int main(int argc, char **argv)
{
	int rank;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if ((rank == 0 && share()) || (rank == 1 && start_child()))
		MPI_Abort(MPI_COMM_WORLD, 1);
	printf("ready\n");
	fflush(stdout);
	MPI_Finalize();
	while (rank != 3)
		sleep(1000);
	return 0;
}
