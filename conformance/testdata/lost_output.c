/* Rank 1 closes every pipe of its process by instructions of its own, behind the runtime's back, and then all ranks print. */
#include <mpi.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call(long number, long a, long b, long c)
{
	long result;
	__asm__ volatile("syscall" : "=a"(result) : "a"(number), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return result;
}

int main(int argc, char **argv)
{
	int rank;
	char path[64], target[256];
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	if (rank == 1)
		for (int fd = 3; fd < 65536; fd++) {
			snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
			long n = call(SYS_readlink, (long)path, (long)target, sizeof target);
			if (n > 5 && !memcmp(target, "pipe:", 5))
				call(SYS_close, fd, 0, 0);
		}
	MPI_Barrier(MPI_COMM_WORLD);
	printf("rank %d\n", rank);
	fflush(stdout);
	MPI_Finalize();
	return 0;
}
