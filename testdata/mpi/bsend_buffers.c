/* Are buffers for buffered sends found in the order communicator, process, counted, flushed, and given back? */
#include "check.h"

#define N 50000 /* ints: too long to be taken before it is received */

static int data[N], in[N];

/* Wait until a request has completed or the other side has done its part: receive n messages of communicator c from oneself. */
static void receive(MPI_Comm c, int n)
{
	for (int i = 0; i < n; i++) {
		check_wipe(in, N);
		MPI_Recv(in, N, MPI_INT, MPI_ANY_SOURCE, i, c, MPI_STATUS_IGNORE);
		CHECK(check_filled(in, N, i));
	}
}

static void send(MPI_Comm c, int me, int n)
{
	for (int i = 0; i < n; i++) {
		check_fill(data, N, i);
		MPI_Bsend(data, N, MPI_INT, me, i, c);
		check_wipe(data, N);
	}
}

static int room_for(int n)
{
	int packed;

	MPI_Pack_size(N, MPI_INT, WORLD, &packed);
	return n * (packed + MPI_BSEND_OVERHEAD);
}

static void exactly(void)
{
	int room = room_for(3), size;
	void *buffer = malloc(room), *back;

	MPI_Buffer_attach(buffer, room);
	for (int round = 0; round < 3; round++) {
		send(MPI_COMM_SELF, 0, 3);
		CHECK_FAILS(MPI_Bsend(data, N, MPI_INT, 0, 9, MPI_COMM_SELF), MPI_ERR_BUFFER);
		receive(MPI_COMM_SELF, 3);
	}
	CHECK_FAILS(MPI_Buffer_attach(buffer, room), MPI_ERR_BUFFER);
	MPI_Buffer_detach(&back, &size);
	CHECK(back == buffer);
	CHECK_INT(size, room);
	CHECK_FAILS(MPI_Bsend(data, N, MPI_INT, 0, 9, MPI_COMM_SELF), MPI_ERR_BUFFER);
	free(buffer);
}

static void flushing(void)
{
	int room = room_for(2), flag = -1;
	void *buffer = malloc(room), *back;
	MPI_Request r, later;
	MPI_Count size;

	MPI_Buffer_attach_c(buffer, room);
	MPI_Buffer_flush();
	send(MPI_COMM_SELF, 0, 1);
	MPI_Buffer_iflush(&r);
	MPI_Test(&r, &flag, MPI_STATUS_IGNORE);
	CHECK_INT(flag, 0);
	check_fill(data, N, 5);
	MPI_Bsend(data, N, MPI_INT, 0, 5, MPI_COMM_SELF);
	MPI_Buffer_iflush(&later);
	receive(MPI_COMM_SELF, 1);
	MPI_Wait(&r, MPI_STATUS_IGNORE); /* of the first message only */
	MPI_Test(&later, &flag, MPI_STATUS_IGNORE);
	CHECK_INT(flag, 0);
	MPI_Recv(in, N, MPI_INT, 0, 5, MPI_COMM_SELF, MPI_STATUS_IGNORE);
	MPI_Wait(&later, MPI_STATUS_IGNORE);
	MPI_Buffer_detach_c(&back, &size);
	CHECK(back == buffer);
	CHECK_INT(size, room);
	free(buffer);
}

static void of_communicators(void)
{
	int room = room_for(1), size;
	void *mine = malloc(room), *back;
	MPI_Comm dup;
	MPI_Request r;

	MPI_Comm_dup(MPI_COMM_SELF, &dup);
	MPI_Comm_attach_buffer(dup, mine, room);
	MPI_Buffer_attach(MPI_BUFFER_AUTOMATIC, 0);
	send(dup, 0, 1);
	CHECK_FAILS(MPI_Bsend(data, N, MPI_INT, 0, 1, dup), MPI_ERR_BUFFER);
	send(MPI_COMM_SELF, 0, 4);
	receive(dup, 1);
	MPI_Comm_flush_buffer(dup);
	MPI_Comm_iflush_buffer(dup, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	receive(MPI_COMM_SELF, 4);
	MPI_Comm_detach_buffer(dup, &back, &size);
	CHECK(back == mine);
	CHECK_INT(size, room);
	send(dup, 0, 2); /* now of the process */
	receive(dup, 2);
	MPI_Comm_attach_buffer(dup, mine, room);
	MPI_Comm_free(&dup);
	MPI_Buffer_detach(&back, &size);
	CHECK(back == MPI_BUFFER_AUTOMATIC);
	CHECK_INT(size, 0);
	free(mine);
}

static void persistent(void)
{
	int room = room_for(1), size;
	void *buffer = malloc(room), *back;
	MPI_Request r;

	MPI_Buffer_attach(buffer, room);
	MPI_Bsend_init(data, N, MPI_INT, 0, 0, MPI_COMM_SELF, &r);
	for (int i = 0; i < 3; i++) {
		check_fill(data, N, 0);
		MPI_Start(&r);
		MPI_Wait(&r, MPI_STATUS_IGNORE);
		check_wipe(data, N);
		CHECK_FAILS(MPI_Start(&r), MPI_ERR_BUFFER);
		receive(MPI_COMM_SELF, 1);
	}
	MPI_Request_free(&r);
	MPI_Buffer_detach(&back, &size);
	free(buffer);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	exactly();
	flushing();
	of_communicators();
	persistent();
	return check_end("bsend_buffers");
}
