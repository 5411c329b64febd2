/* Do all send modes, blocking and non-blocking, deliver the same message? */
#include "check.h"

typedef int send_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm);
typedef int isend_fn(const void *, int, MPI_Datatype, int, int, MPI_Comm, MPI_Request *);

static send_fn *const blocking[] = {MPI_Send, MPI_Ssend, MPI_Bsend, MPI_Rsend};
static isend_fn *const immediate[] = {MPI_Isend, MPI_Issend, MPI_Ibsend, MPI_Irsend};
static const int counts[] = {0, 1, 7, 1000, 20000};

/* The receiver says that its receive is posted: what the ready modes demand, and harmless for the others. */
static void sender(int mode, int count, int nonblocking, int *data)
{
	MPI_Request req;
	int tag = 10 * mode + nonblocking;

	check_fill(data, count, tag + count);
	MPI_Recv(NULL, 0, MPI_INT, 1, 999, WORLD, MPI_STATUS_IGNORE);
	if (nonblocking) {
		immediate[mode](data, count, MPI_INT, 1, tag, WORLD, &req);
		CHECK(MPI_Wait(&req, MPI_STATUS_IGNORE) == MPI_SUCCESS);
		CHECK(req == MPI_REQUEST_NULL);
	} else {
		CHECK(blocking[mode](data, count, MPI_INT, 1, tag, WORLD) == MPI_SUCCESS);
	}
}

static void receiver(int mode, int count, int nonblocking, int *data)
{
	MPI_Request req;
	MPI_Status status;
	int n, tag = 10 * mode + nonblocking;

	check_wipe(data, count);
	MPI_Irecv(data, count, MPI_INT, 0, tag, WORLD, &req);
	MPI_Send(NULL, 0, MPI_INT, 0, 999, WORLD);
	MPI_Wait(&req, &status);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK_INT(n, count);
	CHECK(check_filled(data, count, tag + count));
}

int main(int argc, char **argv)
{
	static int data[20000];
	int room = sizeof data + MPI_BSEND_OVERHEAD;
	void *buffer = malloc(room);

	check_begin(&argc, &argv);
	MPI_Buffer_attach(buffer, room);
	for (int mode = 0; mode < 4; mode++)
		for (int c = 0; c < LEN(counts); c++)
			for (int nonblocking = 0; nonblocking < 2; nonblocking++) {
				if (rank == 0)
					sender(mode, counts[c], nonblocking, data);
				if (rank == 1)
					receiver(mode, counts[c], nonblocking, data);
			}
	MPI_Buffer_detach(&buffer, &room);
	free(buffer);
	return check_end("send_modes");
}
