/* Does an operation whose request was freed still complete? */
#include "check.h"

#define N 40

int main(int argc, char **argv)
{
	int in[N], out[N], to, from;
	MPI_Request req;
	MPI_Status status;

	check_begin(&argc, &argv);
	to = (rank + 1) % size;
	from = (rank + size - 1) % size;
	for (int i = 0; i < N; i++) {
		out[i] = rank * N + i;
		MPI_Irecv(&in[i], 1, MPI_INT, from, i, WORLD, &req);
		MPI_Request_free(&req);
		CHECK(req == MPI_REQUEST_NULL);
	}
	MPI_Barrier(WORLD);
	for (int i = 0; i < N; i++) {
		MPI_Isend(&out[i], 1, MPI_INT, to, i, WORLD, &req);
		MPI_Request_free(&req);
	}
	/* An empty message behind the others on the same path: they have been received when it has. */
	MPI_Isend(NULL, 0, MPI_INT, to, N, WORLD, &req);
	MPI_Recv(NULL, 0, MPI_INT, from, N, WORLD, &status);
	MPI_Wait(&req, &status);
	for (int i = 0; i < N; i++)
		CHECK_INT(in[i], from * N + i);
	return check_end("request_free");
}
