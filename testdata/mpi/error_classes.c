/* Do wrong arguments get the right error class under MPI_ERRORS_RETURN, and does the program go on? */
#include "check.h"

static int value;
static MPI_Request req;
static MPI_Status status;

static void point_to_point(void)
{
	CHECK_FAILS(MPI_Send(&value, 1, MPI_INT, size, 0, WORLD), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Send(&value, 1, MPI_INT, -7, 0, WORLD), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Send(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, WORLD), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Send(&value, 1, MPI_INT, 0, -1, WORLD), MPI_ERR_TAG);
	CHECK_FAILS(MPI_Send(&value, -1, MPI_INT, 0, 0, WORLD), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Send(&value, 1, MPI_DATATYPE_NULL, 0, 0, WORLD), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Send(&value, 1, MPI_INT, 0, 0, MPI_COMM_NULL), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Recv(&value, 1, MPI_INT, size, 0, WORLD, &status), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Recv(&value, -1, MPI_INT, 0, 0, WORLD, &status), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Irecv(&value, 1, MPI_INT, 0, -9, WORLD, &req), MPI_ERR_TAG);
	CHECK_FAILS(MPI_Probe(size, 0, WORLD, &status), MPI_ERR_RANK);
}

static void not_committed(void)
{
	MPI_Datatype t;

	MPI_Type_contiguous(2, MPI_INT, &t);
	CHECK_FAILS(MPI_Send(&value, 1, t, 0, 0, WORLD), MPI_ERR_TYPE);
	MPI_Type_free(&t);
	CHECK_FAILS(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
}

static void collectives(void)
{
	double d = 1, e;

	CHECK_FAILS(MPI_Bcast(&value, 1, MPI_INT, -3, WORLD), MPI_ERR_ROOT);
	CHECK_FAILS(MPI_Reduce(&value, &value, 1, MPI_INT, MPI_SUM, size, WORLD), MPI_ERR_ROOT);
	CHECK_FAILS(MPI_Allreduce(&d, &e, 1, MPI_DOUBLE, MPI_BAND, WORLD), MPI_ERR_OP);
	CHECK_FAILS(MPI_Allreduce(&d, &e, 1, MPI_DOUBLE, MPI_OP_NULL, WORLD), MPI_ERR_OP);
	CHECK_FAILS(MPI_Bcast(&d, -1, MPI_DOUBLE, 0, WORLD), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Barrier(MPI_COMM_NULL), MPI_ERR_COMM);
}

static void objects(void)
{
	MPI_Group world, g;
	int key = MPI_KEYVAL_INVALID, one[] = {size};

	MPI_Comm_group(WORLD, &world);
	CHECK_FAILS(MPI_Group_incl(world, 1, one, &g), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Group_size(MPI_GROUP_NULL, &value), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Comm_rank(MPI_COMM_NULL, &value), MPI_ERR_COMM);
	CHECK_FAILS(MPI_Comm_set_attr(WORLD, key, NULL), MPI_ERR_KEYVAL);
	MPI_Group_free(&world);
}

int main(int argc, char **argv)
{
	int sum;

	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	point_to_point();
	not_committed();
	collectives();
	objects();
	CHECK(MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD) == MPI_SUCCESS);
	CHECK_INT(sum, size * (size - 1) / 2);
	return check_end("error_classes");
}
