/* One rank reads a mapped file beyond its end: SIGBUS, 135. */
#define _GNU_SOURCE
#include "check.h"
#include <sys/mman.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == size - 1) {
		int fd = fileno(tmpfile());
		volatile char *p = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
		return p[100];
	}
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
