/* Are wrong arguments of the calls that make, ask and free communicators found, with the right class, and is all well afterwards? */
#include "check.h"

static MPI_Comm freed_comm(void)
{
	MPI_Comm comm, copy;

	MPI_Comm_dup(MPI_COMM_SELF, &comm);
	copy = comm;
	MPI_Comm_free(&comm);
	return copy;
}

static void null_comm(MPI_Comm bad)
{
	MPI_Comm out, copy = bad;
	MPI_Group g;
	MPI_Request req;
	MPI_Info info;
	int n;

	CHECK_FAILS(MPI_Comm_size(bad, &n), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_rank(bad, &n), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_remote_size(bad, &n), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_test_inter(bad, &n), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_compare(bad, WORLD, &n), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_compare(WORLD, bad, &n), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_dup(bad, &out), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_dup_with_info(bad, MPI_INFO_NULL, &out), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_idup(bad, &out, &req), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_split(bad, 0, 0, &out), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_split_type(bad, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &out), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_create(bad, MPI_GROUP_EMPTY, &out), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_create_group(bad, MPI_GROUP_EMPTY, 0, &out), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_group(bad, &g), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_remote_group(bad, &g), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_free(&copy), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_disconnect(&copy), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_set_name(bad, "name"), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_get_info(bad, &info), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_set_info(bad, MPI_INFO_NULL), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Intercomm_create(bad, 0, WORLD, 0, 0, &out), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Intercomm_merge(bad, 0, &out), MPI_ERR_COMM);
}

static void arguments(void)
{
	MPI_Comm out, self = MPI_COMM_SELF, world = WORLD;
	MPI_Group g, first;
	int n, zero = 0;

	CHECK_FAILS(MPI_Comm_split(WORLD, -3, 0, &out), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Comm_split_type(WORLD, 12345, 0, MPI_INFO_NULL, &out), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Comm_create(WORLD, MPI_GROUP_NULL, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Comm_create_group(WORLD, MPI_GROUP_NULL, 0, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Comm_create_group(WORLD, MPI_GROUP_EMPTY, -1, &out), MPI_ERR_TAG);
	CHECK_FAILS(MPI_Comm_remote_size(WORLD, &n), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_remote_group(WORLD, &g), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_free(&self), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_free(&world), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Intercomm_merge(WORLD, 0, &out), MPI_ERR_COMM);
	MPI_Comm_group(WORLD, &g);
	MPI_Group_incl(g, 1, &zero, &first);
	if (rank)
		CHECK_FAILS(MPI_Comm_create(MPI_COMM_SELF, first, &out), MPI_ERR_GROUP);
	MPI_Group_free(&g);
	MPI_Group_free(&first);
}

static void leaders(void)
{
	MPI_Comm out, half;
	int high = rank >= size / 2;

	CHECK_FAILS(MPI_Intercomm_create(MPI_COMM_SELF, 1, WORLD, 0, 0, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Intercomm_create(MPI_COMM_SELF, -1, WORLD, 0, 0, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, size, 0, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Intercomm_create(MPI_COMM_SELF, 0, MPI_COMM_NULL, 0, 0, &out), MPI_ERR_COMM);
	if (size == 1)
		return;
	CHECK_FAILS(MPI_Intercomm_create(MPI_COMM_SELF, 0, WORLD, (rank + 1) % size, -1, &out), MPI_ERR_TAG);
	MPI_Comm_split(WORLD, high, rank, &half);
	MPI_Intercomm_create(half, 0, WORLD, high ? 0 : size / 2, 0, &out);
	MPI_Comm inner;
	CHECK_FAILS(MPI_Intercomm_create(out, 0, WORLD, 0, 0, &inner), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_create_group(out, MPI_GROUP_EMPTY, 0, &inner), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Send(NULL, 0, MPI_INT, high ? size / 2 : size - size / 2, 0, out), MPI_ERR_RANK);
	MPI_Comm_free(&out);
	MPI_Comm_free(&half);
}

static void afterwards(void)
{
	MPI_Comm comm;
	int sum, one = 1;

	MPI_Comm_dup(WORLD, &comm);
	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK_INT(sum, size);
	MPI_Comm_free(&comm);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	null_comm(MPI_COMM_NULL);
	null_comm(freed_comm());
	arguments();
	leaders();
	afterwards();
	return check_end("comm_errors");
}
