/* Are collective calls that cannot be right refused, by class, in the members that can tell; and do those that follow work, also when only one
 * member was refused, or mends its call? */
#include "check.h"

#define N 10

static int buf[2 * N * 64], other[2 * N * 64];

static void all_is_well(void)
{
	int sum = -1, one = 1;
	MPI_Request r;

	MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, WORLD);
	CHECK_INT(sum, size);
	sum = -1;
	MPI_Iallreduce(&one, &sum, 1, MPI_INT, MPI_SUM, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	CHECK_INT(sum, size);
}

/* Only the root is refused; it says it right while the others wait. */
static void root_mends(void)
{
	MPI_Request r;

	for (int i = 0; i < size; i++)
		buf[i] = rank + i;
	if (rank == 0) {
		CHECK_FAILS(MPI_Gather(buf, 1, MPI_INT, buf, 1, MPI_INT, 0, WORLD), MPI_ERR_BUFFER);
		CHECK_FAILS(MPI_Igather(buf, 1, MPI_INT, buf, 1, MPI_INT, 0, WORLD, &r), MPI_ERR_BUFFER);
	}
	MPI_Gather(buf, 1, MPI_INT, other, 1, MPI_INT, 0, WORLD);
	for (int i = 0; rank == 0 && i < size; i++)
		CHECK_INT(other[i], i);
	check_wipe(other, size);
	MPI_Igather(buf, 1, MPI_INT, other, 1, MPI_INT, 0, WORLD, &r);
	MPI_Wait(&r, MPI_STATUS_IGNORE);
	for (int i = 0; rank == 0 && i < size; i++)
		CHECK_INT(other[i], i);
	all_is_well();
}

/* Buffers overlap where a member's own block is. */
static void own_block(void)
{
	MPI_Request r;
	int counts[64], displs[64];

	for (int i = 0; i < size; i++)
		counts[i] = 1, displs[i] = size - 1 - i;
	CHECK_FAILS(MPI_Allgather(&buf[rank], 1, MPI_INT, buf, 1, MPI_INT, WORLD), MPI_ERR_BUFFER);
	CHECK_FAILS(MPI_Iallgather(&buf[rank], 1, MPI_INT, buf, 1, MPI_INT, WORLD, &r), MPI_ERR_BUFFER);
	CHECK_FAILS(MPI_Allgatherv(&buf[size - 1 - rank], 1, MPI_INT, buf, counts, displs, MPI_INT, WORLD), MPI_ERR_BUFFER);
	if (rank == size - 1) {
		CHECK_FAILS(MPI_Gather(&buf[rank], 1, MPI_INT, buf, 1, MPI_INT, rank, WORLD), MPI_ERR_BUFFER);
		CHECK_FAILS(MPI_Scatter(buf, 1, MPI_INT, &buf[rank], 1, MPI_INT, rank, WORLD), MPI_ERR_BUFFER);
		CHECK_FAILS(MPI_Iscatterv(buf, counts, displs, MPI_INT, buf, 1, MPI_INT, rank, WORLD, &r), MPI_ERR_BUFFER);
	}
	all_is_well();
}

static int wait_class(MPI_Request r)
{
	return MPI_Wait(&r, MPI_STATUS_IGNORE);
}

/* The root has another count: all others find out, however far they are from it. */
static void bcast_lengths(int root)
{
	int few = rank == root ? 1 : N, many = rank == root ? N : 1;
	MPI_Request r;

	if (rank != root) {
		CHECK_FAILS(MPI_Bcast(buf, few, MPI_INT, root, WORLD), MPI_ERR_COUNT);
		CHECK_FAILS(MPI_Bcast(buf, many, MPI_INT, root, WORLD), MPI_ERR_TRUNCATE);
	} else {
		MPI_Bcast(buf, few, MPI_INT, root, WORLD);
		MPI_Bcast(buf, many, MPI_INT, root, WORLD);
	}
	MPI_Ibcast(buf, few, MPI_INT, root, WORLD, &r);
	CHECK((wait_class(r) == MPI_SUCCESS) == (rank == root));
	MPI_Ibcast(buf, many, MPI_INT, root, WORLD, &r);
	CHECK((wait_class(r) == MPI_SUCCESS) == (rank == root));
	all_is_well();
}

static void reduction_lengths(void)
{
	int n = rank == 0 ? 1 : N;
	MPI_Request r;

	if (size == 1)
		return;
	CHECK(MPI_Reduce(buf, other, n, MPI_INT, MPI_SUM, 0, WORLD) != MPI_SUCCESS);
	CHECK(MPI_Allreduce(buf, other, n, MPI_INT, MPI_SUM, WORLD) != MPI_SUCCESS);
	MPI_Ireduce(buf, other, n, MPI_INT, MPI_SUM, 0, WORLD, &r);
	CHECK(wait_class(r) != MPI_SUCCESS || rank);
	MPI_Iallreduce(buf, other, n, MPI_INT, MPI_SUM, WORLD, &r);
	CHECK(wait_class(r) != MPI_SUCCESS);
	all_is_well();
}

static void operations(void)
{
	MPI_Op op = rank ? MPI_SUM : MPI_PROD;

	if (size == 1)
		return;
	CHECK_FAILS(MPI_Reduce(buf, other, N, MPI_INT, op, 0, WORLD), MPI_ERR_OP);
	CHECK_FAILS(MPI_Allreduce(buf, other, N, MPI_INT, op, WORLD), MPI_ERR_OP);
	CHECK_FAILS(MPI_Scan(buf, other, N, MPI_INT, op, WORLD), MPI_ERR_OP);
	all_is_well();
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	root_mends();
	own_block();
	for (int root = 0; root < size; root++)
		bcast_lengths(root);
	reduction_lengths();
	operations();
	return check_end("coll_errors");
}
