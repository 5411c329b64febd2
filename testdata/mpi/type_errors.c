/* Do the datatype calls refuse wrong arguments with the right error class, and go on? */
#include "check.h"

static MPI_Datatype t, plain; /* plain: not committed */
static int one[] = {1, 1}, negative[] = {1, -1}, zero[] = {0, 0};
static MPI_Aint places[] = {0, 8};

static void counts(void)
{
	MPI_Datatype types[] = {MPI_INT, MPI_DATATYPE_NULL};

	CHECK_FAILS(MPI_Type_contiguous(-1, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Type_vector(-1, 1, 1, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK(MPI_Type_vector(1, -1, 1, MPI_INT, &t) != MPI_SUCCESS);
	CHECK_FAILS(MPI_Type_create_hvector(-1, 1, 1, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Type_indexed(-1, one, zero, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK(MPI_Type_indexed(2, negative, zero, MPI_INT, &t) != MPI_SUCCESS);
	CHECK(MPI_Type_create_hindexed(2, negative, places, MPI_INT, &t) != MPI_SUCCESS);
	CHECK_FAILS(MPI_Type_create_indexed_block(-1, 1, zero, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Type_create_hindexed_block(-1, 1, places, MPI_INT, &t), MPI_ERR_COUNT);
	CHECK_FAILS(MPI_Type_create_struct(2, one, places, types, &t), MPI_ERR_TYPE);
	types[1] = MPI_INT;
	CHECK_FAILS(MPI_Type_create_struct(-1, one, places, types, &t), MPI_ERR_COUNT);
	CHECK(MPI_Type_create_struct(2, negative, places, types, &t) != MPI_SUCCESS);
	CHECK_FAILS(MPI_Type_indexed(2, NULL, zero, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Type_create_struct(2, one, NULL, types, &t), MPI_ERR_ARG);
}

static void no_types(void)
{
	MPI_Datatype null = MPI_DATATYPE_NULL, fixed = MPI_INT;
	MPI_Aint lb, extent;
	int n;

	CHECK_FAILS(MPI_Type_contiguous(1, MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Type_dup(MPI_DATATYPE_NULL, &t), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Type_create_resized(MPI_DATATYPE_NULL, 0, 4, &t), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Type_size(MPI_DATATYPE_NULL, &n), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Type_get_extent(MPI_DATATYPE_NULL, &lb, &extent), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Type_commit(&null), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Type_free(&null), MPI_ERR_TYPE);
	CHECK(MPI_Type_free(&fixed) != MPI_SUCCESS);
	CHECK(fixed == MPI_INT);
}

static void arrays(void)
{
	int n[] = {4, 4}, sub[] = {2, 2}, start[] = {0, 0}, big[] = {5, 2}, far[] = {3, 0}, grid[] = {2, 2};
	int block[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_BLOCK}, none[] = {MPI_DISTRIBUTE_NONE, MPI_DISTRIBUTE_BLOCK};
	int any[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG}, small[] = {1, 1};

	CHECK_FAILS(MPI_Type_create_subarray(2, n, big, start, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Type_create_subarray(2, n, sub, far, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Type_create_subarray(2, n, sub, negative, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Type_create_subarray(2, n, sub, start, 4711, MPI_INT, &t), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Type_create_darray(3, 0, 2, n, block, any, grid, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG);
	CHECK(MPI_Type_create_darray(4, 4, 2, n, block, any, grid, MPI_ORDER_C, MPI_INT, &t) != MPI_SUCCESS);
	CHECK(MPI_Type_create_darray(4, 0, 2, n, none, any, grid, MPI_ORDER_C, MPI_INT, &t) != MPI_SUCCESS);
	CHECK(MPI_Type_create_darray(4, 0, 2, n, block, small, grid, MPI_ORDER_C, MPI_INT, &t) != MPI_SUCCESS);
	CHECK_FAILS(MPI_Type_create_darray(4, 0, 2, n, any, any, grid, MPI_ORDER_C, MPI_INT, &t), MPI_ERR_ARG);
}

static void uncommitted(void)
{
	int a[4] = {0}, at = 0;
	MPI_Request request;

	CHECK_FAILS(MPI_Send(a, 1, plain, rank, 0, WORLD), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Recv(a, 1, plain, rank, 0, WORLD, MPI_STATUS_IGNORE), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Irecv(a, 1, plain, rank, 0, WORLD, &request), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Bcast(a, 1, plain, 0, MPI_COMM_SELF), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Pack(a, 1, plain, a, sizeof a, &at, WORLD), MPI_ERR_TYPE);
	CHECK_FAILS(MPI_Unpack(a, sizeof a, &at, a, 1, plain, WORLD), MPI_ERR_TYPE);
}

static void packing(void)
{
	int a[4] = {0}, at = 0, n;
	MPI_Aint place = 0;

	CHECK_FAILS(MPI_Pack(a, -1, MPI_INT, a, sizeof a, &at, WORLD), MPI_ERR_COUNT);
	CHECK(MPI_Pack(a, 5, MPI_INT, a, 8, &at, WORLD) != MPI_SUCCESS);
	CHECK(MPI_Unpack(a, 8, &at, a + 2, 5, MPI_INT, WORLD) != MPI_SUCCESS);
	CHECK_FAILS(MPI_Pack_size(-1, MPI_INT, WORLD, &n), MPI_ERR_COUNT);
	CHECK(MPI_Pack_external("little64", a, 1, MPI_INT, a, sizeof a, &place) != MPI_SUCCESS);
	CHECK_INT(at, 0);
	CHECK_INT(place, 0);
}

static void contents(void)
{
	int n, combiner, ints[4];
	MPI_Aint addresses[1];
	MPI_Datatype types[1];

	CHECK(MPI_Type_get_contents(MPI_INT, 0, 0, 0, ints, addresses, types) != MPI_SUCCESS);
	CHECK(MPI_Type_get_contents(plain, 0, 0, 0, ints, addresses, types) != MPI_SUCCESS);
	CHECK_FAILS(MPI_Type_get_envelope(MPI_DATATYPE_NULL, &n, &n, &n, &combiner), MPI_ERR_TYPE);
	CHECK(MPI_Type_match_size(MPI_TYPECLASS_REAL, 3, &t) != MPI_SUCCESS);
	CHECK(MPI_Type_match_size(4711, 4, &t) != MPI_SUCCESS);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Type_vector(2, 1, 2, MPI_INT, &plain);
	counts();
	no_types();
	arrays();
	uncommitted();
	packing();
	contents();
	MPI_Type_free(&plain);
	return check_end("type_errors");
}
