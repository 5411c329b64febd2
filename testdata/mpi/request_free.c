/* Does a send whose request was freed still complete, and may an inactive persistent request be freed? */
#include "check.h"

#define N 40
#define LARGE 20000

static int in[N][LARGE], out[N][LARGE];

static int length(int i) { return i % 5 ? i : LARGE; }

int main(int argc, char **argv)
{
	int to, from;
	MPI_Request req[N], one;
	MPI_Status status[N];

	check_begin(&argc, &argv);
	to = (rank + 1) % size;
	from = (rank + size - 1) % size;
	for (int i = 0; i < N; i++)
		MPI_Irecv(in[i], LARGE, MPI_INT, from, i, WORLD, &req[i]);
	for (int i = 0; i < N; i++) {
		check_fill(out[i], LARGE, rank * N + i);
		MPI_Isend(out[i], length(i), MPI_INT, to, i, WORLD, &one);
		MPI_Request_free(&one);
		CHECK(one == MPI_REQUEST_NULL);
	}
	MPI_Waitall(N, req, status);
	for (int i = 0; i < N; i++)
		CHECK(check_filled(in[i], length(i), from * N + i));
	MPI_Send_init(out, 1, MPI_INT, to, 0, WORLD, &one);
	MPI_Request_free(&one);
	CHECK(one == MPI_REQUEST_NULL);
	return check_end("request_free");
}
