/* Do anonymous maps work: map, protect, grow with mremap, unmap, and stay as they are while others run? */
#define _GNU_SOURCE
#include "check.h"
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

static void fill(int *p, size_t n) { for (size_t i = 0; i < n; i++) p[i] = rank + (int)i; }

static int filled(const int *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] != rank + (int)i)
			return 0;
	return 1;
}

int main(int argc, char **argv)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), bytes = 64 * page;
	int *p, *q;

	check_begin(&argc, &argv);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(p != MAP_FAILED && (uintptr_t)p % page == 0 && p[bytes / 4 - 1] == 0);
	fill(p, bytes / 4);
	check_others_run();
	CHECK(filled(p, bytes / 4));
	CHECK(mprotect(p, bytes, PROT_READ) == 0);
	CHECK(filled(p, bytes / 4));
	CHECK(mprotect(p, bytes, PROT_READ | PROT_WRITE) == 0);
	q = mremap(p, bytes, 4 * bytes, MREMAP_MAYMOVE);
	CHECK(q != MAP_FAILED && filled(q, bytes / 4) && q[bytes - 1] == 0);
	fill(q, bytes);
	check_others_run();
	CHECK(munmap((char *)q + bytes, bytes) == 0); /* a hole in the middle */
	CHECK(filled(q, bytes / 4));
	CHECK(q[bytes / 2] == rank + (int)(bytes / 2));
	CHECK(munmap(q, 4 * bytes) == 0);
	q = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(q != MAP_FAILED && q[0] == 0 && q[bytes / 4 - 1] == 0);
	MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 1, q, 1, MPI_INT, (rank + size - 1) % size, 1, MPI_COMM_WORLD,
	             MPI_STATUS_IGNORE);
	CHECK(q[0] == (rank + size - 1) % size);
	CHECK(munmap(q, bytes) == 0);
	return check_end("mappings");
}
