/* Touches memory that it has not allocated, as KIND says, and ends with 0 if nobody minds: stray KIND. Rank 0 does it; in "receive" rank 1. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define MIB (1l << 20)

static char *map(long n)
{
	char *p = mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static int is(const char *kind, const char *name)
{
	return !strcmp(kind, name);
}

/* A heap that has grown and shrunk is as small as before. */
static void grow(void)
{
	char *big[64];
	for (int i = 0; i < 64; i++)
		memset(big[i] = malloc(8 * MIB), 1, 8 * MIB);
	for (int i = 63; i >= 0; i--)
		free(big[i]);
}

static void touch(const char *kind)
{
	char *block = malloc(100), *p = map(MIB), *q = map(MIB);
	if (is(kind, "past"))
		block[15000 * MIB] = 1;
	else if (is(kind, "near"))
		block[8 * MIB] = 1;
	else if (is(kind, "shrunk")) {
		grow();
		block[300 * MIB] = 1;
	} else if (is(kind, "unmapped")) {
		munmap(p, MIB);
		p[MIB / 2] = 1;
	} else if (is(kind, "between")) { /* p is above q, or below */
		munmap(q, MIB);
		q[0] = 1;
	} else if (is(kind, "behind"))
		(p > q ? p : q)[3 * MIB] = 1;
}

int main(int argc, char **argv)
{
	MPI_Init(&argc, &argv);
	int me;
	const char *kind = argv[1];
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	char *buf = NULL;
	if (is(kind, "send") && !me) {
		MPI_Send(map(MIB), 800 * MIB, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	} else if (is(kind, "bcast")) {
		MPI_Bcast(me ? map(800 * MIB) : map(MIB), 800 * MIB, MPI_BYTE, 0, MPI_COMM_WORLD);
	} else if (is(kind, "receive")) {
		MPI_Request r;
		if (me == 1) {
			buf = map(MIB);
			MPI_Irecv(buf, 8 * MIB, MPI_BYTE, 0, 0, MPI_COMM_WORLD, &r);
		}
		MPI_Barrier(MPI_COMM_WORLD);
		if (!me)
			MPI_Send(map(8 * MIB), 8 * MIB, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
		if (me == 1)
			MPI_Wait(&r, MPI_STATUS_IGNORE);
	} else if (is(kind, "send")) {
		MPI_Recv(map(800 * MIB), 800 * MIB, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	} else if (!me) {
		touch(kind);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (!me)
		printf("nobody minds\n");
	MPI_Finalize();
	return 0;
}
