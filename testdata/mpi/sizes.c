/* Does a message of any size from 0 bytes to 1 MiB arrive whole, with nothing written beyond it? */
#include "check.h"

#define MAX (1 << 20)
#define GUARD 64

static unsigned char out[MAX + GUARD], in[MAX + GUARD];

static unsigned char byte(int n, int i) { return (unsigned char)(n * 31 + i * 7 + (i >> 8)); }

static void ring(int n)
{
	MPI_Status status;
	MPI_Request req;
	int got;

	for (int i = 0; i < n; i++)
		out[i] = byte(n + rank, i);
	memset(in, 0xee, n + GUARD);
	MPI_Irecv(in, MAX, MPI_BYTE, (rank + size - 1) % size, 3, WORLD, &req);
	MPI_Send(out, n, MPI_BYTE, (rank + 1) % size, 3, WORLD);
	MPI_Wait(&req, &status);
	MPI_Get_count(&status, MPI_BYTE, &got);
	CHECK_INT(got, n);
	for (int i = 0; i < n; i++)
		if (in[i] != byte(n + (rank + size - 1) % size, i))
			CHECK(!"content");
	for (int i = n; i < n + GUARD; i++)
		CHECK_INT(in[i], 0xee);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	for (int n = 0; n <= 70; n++)
		ring(n);
	for (int n = 64; n <= MAX; n *= 2)
		for (int d = -1; d <= 1; d++)
			if (n + d <= MAX)
				ring(n + d);
	return check_end("sizes");
}
