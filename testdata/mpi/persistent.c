/* Can persistent requests of every mode be started again and again, singly and together? */
#include "check.h"

#define ROUNDS 20
#define COUNT 300

typedef int init_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

/* Modes that may be sent before the receive is posted; ready mode is used where it was posted before. */
static init_fn *const modes[] = {MPI_Send_init, MPI_Ssend_init, MPI_Bsend_init, MPI_Rsend_init};

static void ring(init_fn *init)
{
	int in[COUNT], out[COUNT], to = (rank + 1) % size, from = (rank + size - 1) % size;
	MPI_Request req[2];
	MPI_Status status[2];

	MPI_Recv_init(in, COUNT, MPI_INT, from, 4, WORLD, &req[0]);
	init(out, COUNT, MPI_INT, to, 4, WORLD, &req[1]);
	MPI_Waitall(2, req, status); /* inactive: returns at once */
	for (int i = 0; i < ROUNDS; i++) {
		check_fill(out, COUNT, 100 * rank + i);
		check_wipe(in, COUNT);
		MPI_Start(&req[0]);
		MPI_Barrier(WORLD);
		MPI_Start(&req[1]);
		MPI_Waitall(2, req, status);
		CHECK(req[0] != MPI_REQUEST_NULL && req[1] != MPI_REQUEST_NULL);
		CHECK_INT(status[0].MPI_SOURCE, from);
		CHECK(check_filled(in, COUNT, 100 * from + i));
	}
	MPI_Request_free(&req[0]);
	MPI_Request_free(&req[1]);
	CHECK(req[0] == MPI_REQUEST_NULL);
}

/* All with all by Startall; to PROC_NULL as well. */
static void everybody(void)
{
	int n = 2 * size + 2, *in = malloc(size * sizeof *in), out = 0, index;
	MPI_Request *req = malloc(n * sizeof *req);
	MPI_Status *status = malloc(n * sizeof *status);

	for (int r = 0; r < size; r++) {
		MPI_Recv_init(&in[r], 1, MPI_INT, r, 5, WORLD, &req[r]);
		MPI_Send_init(&out, 1, MPI_INT, r, 5, WORLD, &req[size + r]);
	}
	MPI_Send_init(&out, 1, MPI_INT, MPI_PROC_NULL, 5, WORLD, &req[n - 2]);
	MPI_Recv_init(&out, 1, MPI_INT, MPI_PROC_NULL, 5, WORLD, &req[n - 1]);
	for (int round = 0; round < ROUNDS; round++) {
		out = rank * 100 + round;
		MPI_Startall(n, req);
		MPI_Waitall(n, req, status);
		for (int r = 0; r < size; r++)
			CHECK_INT(in[r], r * 100 + round);
	}
	MPI_Waitany(n, req, &index, status);
	CHECK_INT(index, MPI_UNDEFINED);
	for (int i = 0; i < n; i++)
		MPI_Request_free(&req[i]);
	free(in);
	free(req);
	free(status);
}

int main(int argc, char **argv)
{
	int room = 4 * (COUNT * sizeof(int) + MPI_BSEND_OVERHEAD);
	void *buffer = malloc(room);

	check_begin(&argc, &argv);
	MPI_Buffer_attach(buffer, room);
	for (int m = 0; m < LEN(modes); m++)
		ring(modes[m]);
	everybody();
	MPI_Buffer_detach(&buffer, &room);
	free(buffer);
	return check_end("persistent");
}
