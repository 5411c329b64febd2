/* Do Request_get_status_any, _all and _some say what is complete without completing it, null and inactive requests included? */
#include "check.h"

static int in[3], one = 1;

static void none_active(void)
{
	MPI_Request r[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL};
	MPI_Status status[2];
	int flag = 0, index = 0, n = 0, indices[2];

	MPI_Recv_init(in, 1, MPI_INT, rank, 1, WORLD, &r[1]);
	status[0].MPI_SOURCE = status[1].MPI_SOURCE = 77;
	MPI_Request_get_status_all(2, r, &flag, status);
	CHECK(flag);
	CHECK_INT(status[1].MPI_SOURCE, MPI_ANY_SOURCE);
	flag = 0;
	MPI_Request_get_status_any(2, r, &index, &flag, status);
	CHECK(flag);
	CHECK_INT(index, MPI_UNDEFINED);
	MPI_Request_get_status_some(2, r, &n, indices, status);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Request_free(&r[1]);
	flag = 0;
	MPI_Request_get_status_all(0, NULL, &flag, MPI_STATUSES_IGNORE);
	CHECK(flag);
}

static void some_active(void)
{
	MPI_Request r[4], kept[4];
	MPI_Status status[4];
	int flag = 1, index = 0, n = 0, indices[4], count;

	for (int i = 0; i < 3; i++)
		MPI_Irecv(&in[i], 1, MPI_INT, rank, i, WORLD, &r[i]);
	r[3] = MPI_REQUEST_NULL;
	memcpy(kept, r, sizeof r);
	MPI_Request_get_status_all(4, r, &flag, status);
	CHECK(!flag);
	flag = 1;
	MPI_Request_get_status_any(4, r, &index, &flag, status);
	CHECK(!flag);
	MPI_Request_get_status_some(4, r, &n, indices, status);
	CHECK_INT(n, 0);
	MPI_Send(&one, 1, MPI_INT, rank, 1, WORLD);
	for (int twice = 0; twice < 2; twice++) {
		MPI_Request_get_status_any(4, r, &index, &flag, status);
		CHECK(flag);
		CHECK_INT(index, 1);
		CHECK_INT(status->MPI_TAG, 1);
		MPI_Request_get_status_some(4, r, &n, indices, status);
		CHECK_INT(n, 1);
		CHECK_INT(indices[0], 1);
		MPI_Get_count(&status[0], MPI_INT, &count);
		CHECK_INT(count, 1);
	}
	MPI_Send(&one, 1, MPI_INT, rank, 2, WORLD);
	MPI_Send(&one, 1, MPI_INT, rank, 0, WORLD);
	MPI_Request_get_status_all(4, r, &flag, status);
	CHECK(flag);
	for (int i = 0; i < 3; i++)
		CHECK_INT(status[i].MPI_TAG, i);
	CHECK_INT(status[3].MPI_TAG, MPI_ANY_TAG);
	CHECK(!memcmp(kept, r, sizeof r));
	MPI_Waitall(4, r, status);
	CHECK_INT(status[2].MPI_TAG, 2);
}

static void fields(void)
{
	MPI_Status s;
	int v = -1;

	MPI_Status_set_source(&s, 3);
	MPI_Status_set_tag(&s, 4);
	MPI_Status_set_error(&s, MPI_ERR_TAG);
	CHECK_INT(s.MPI_SOURCE, 3);
	MPI_Status_get_source(&s, &v);
	CHECK_INT(v, 3);
	MPI_Status_get_tag(&s, &v);
	CHECK_INT(v, 4);
	MPI_Status_get_error(&s, &v);
	CHECK_INT(v, MPI_ERR_TAG);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	none_active();
	some_active();
	fields();
	return check_end("request_peek");
}
