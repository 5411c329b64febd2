/* Is a message that is longer than the buffer reported as MPI_ERR_TRUNCATE, and the communicator good afterwards? */
#include "check.h"

static void too_long(int sent, int room)
{
	int *data = malloc((sent + 1) * sizeof *data);
	MPI_Request req;
	MPI_Status status;
	int flag = 0;

	if (rank == 0) {
		check_fill(data, sent, 1);
		for (int i = 0; i < 3; i++)
			MPI_Send(data, sent, MPI_INT, 1, 1, WORLD);
		MPI_Send(data, sent, MPI_INT, 1, 1, WORLD);
	} else if (rank == 1) {
		check_wipe(data, sent);
		CHECK_FAILS(MPI_Recv(data, room, MPI_INT, 0, 1, WORLD, &status), MPI_ERR_TRUNCATE);
		CHECK_INT(data[room], -1);
		MPI_Irecv(data, room, MPI_INT, 0, 1, WORLD, &req);
		CHECK_FAILS(MPI_Wait(&req, &status), MPI_ERR_TRUNCATE);
		MPI_Irecv(data, room, MPI_INT, 0, 1, WORLD, &req);
		CHECK_FAILS(MPI_Waitall(1, &req, &status), MPI_ERR_IN_STATUS);
		CHECK_FAILS(status.MPI_ERROR, MPI_ERR_TRUNCATE);
		MPI_Recv(data, sent, MPI_INT, 0, 1, WORLD, &status);
		CHECK(check_filled(data, sent, 1));
		MPI_Iprobe(0, 1, WORLD, &flag, MPI_STATUS_IGNORE);
		CHECK(!flag);
	}
	free(data);
	MPI_Barrier(WORLD);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	too_long(2, 1);
	too_long(100, 0);
	too_long(5000, 4999);
	too_long(200000, 10);
	return check_end("truncate");
}
