/* A random schedule of messages, the same in all ranks, which each follows in its order: so all come through. With "dead" one of them is not sent,
 * and nobody else can end. Arguments: "live" or "dead", messages, seed. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MOST 100000

static char buffer[MOST];

static uint64_t mix(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9;
	x ^= x >> 27;
	x *= 0x94d049bb133111eb;
	return x ^ x >> 31;
}

static void transmit(int to, int count, int tag, int how)
{
	MPI_Request request;
	if (how == 0)
		MPI_Send(buffer, count, MPI_CHAR, to, tag, MPI_COMM_WORLD);
	else if (how == 1)
		MPI_Ssend(buffer, count, MPI_CHAR, to, tag, MPI_COMM_WORLD);
	else {
		MPI_Isend(buffer, count, MPI_CHAR, to, tag, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	}
}

static void take(int from, int tag, int how)
{
	MPI_Request request;
	MPI_Status status;
	if (how == 0)
		MPI_Recv(buffer, MOST, MPI_CHAR, from, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	else if (how == 1) {
		MPI_Irecv(buffer, MOST, MPI_CHAR, MPI_ANY_SOURCE, tag, MPI_COMM_WORLD, &request);
		MPI_Wait(&request, MPI_STATUS_IGNORE);
	} else {
		MPI_Probe(from, tag, MPI_COMM_WORLD, &status);
		MPI_Recv(buffer, MOST, MPI_CHAR, status.MPI_SOURCE, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	int rank, size, messages = argc > 2 ? atoi(argv[2]) : 10;
	uint64_t seed = argc > 3 ? strtoull(argv[3], NULL, 10) : 1;
	int missing = argc > 1 && !strcmp(argv[1], "dead") ? (int)(mix(seed) % (uint64_t)messages) : -1;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int i = 0; i < messages; i++) {
		uint64_t r = mix(seed * 1000003 + (uint64_t)i);
		int from = (int)(r % (uint64_t)size), to = (from + 1 + (int)((r >> 8) % (uint64_t)(size - 1))) % size;
		int count = (int)((r >> 24) % (r >> 20 & 1 ? 100 : MOST)), tag = i % 1000;
		if (rank == from && i != missing) {
			if ((r >> 44) % 50 == 0) /* all others wait meanwhile */
				usleep((useconds_t)((r >> 50) % 50000));
			transmit(to, count, tag, (int)((r >> 60) % 3));
		}
		if (rank == to)
			take(from, tag, (int)((r >> 57) % 3));
		if (i % 64 == 63)
			MPI_Barrier(MPI_COMM_WORLD);
	}
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		printf("PASS schedule\n");
	MPI_Finalize();
	return 0;
}
