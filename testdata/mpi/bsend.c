/* Does buffered sending copy at once, keep messages until they are received, and refuse what does not fit? */
#include "check.h"

#define N 20

static void copies_at_once(void)
{
	int value, to = (rank + 1) % size, from = (rank + size - 1) % size;

	for (int i = 0; i < N; i++) {
		value = rank * 100 + i;
		MPI_Bsend(&value, 1, MPI_INT, to, 1, WORLD);
		value = -1;
	}
	MPI_Barrier(WORLD);
	for (int i = 0; i < N; i++) {
		MPI_Recv(&value, 1, MPI_INT, from, 1, WORLD, MPI_STATUS_IGNORE);
		CHECK_INT(value, from * 100 + i);
	}
}

static void refuses(int room)
{
	char *large = calloc(1, room + 1);

	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	CHECK_FAILS(MPI_Bsend(large, room + 1, MPI_BYTE, rank, 2, WORLD), MPI_ERR_BUFFER);
	free(large);
}

int main(int argc, char **argv)
{
	int packed, room, got;
	void *buffer, *back;

	check_begin(&argc, &argv);
	MPI_Pack_size(1, MPI_INT, WORLD, &packed);
	room = N * (packed + MPI_BSEND_OVERHEAD);
	buffer = malloc(room);
	for (int round = 0; round < 3; round++) {
		MPI_Buffer_attach(buffer, room);
		copies_at_once();
		refuses(room);
		MPI_Buffer_detach(&back, &got);
		CHECK(back == buffer);
		CHECK_INT(got, room);
		memset(buffer, 0xff, room);
	}
	free(buffer);
	return check_end("bsend");
}
