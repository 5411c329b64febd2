/* Do dup, create, create_group, compare and free make and unmake communicators as they should? */
#include "check.h"

static void compare(void)
{
	MPI_Comm dup, reversed, half;
	int result;

	MPI_Comm_compare(WORLD, WORLD, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Comm_dup(WORLD, &dup);
	MPI_Comm_compare(WORLD, dup, &result);
	CHECK_INT(result, MPI_CONGRUENT);
	MPI_Comm_split(WORLD, 0, -rank, &reversed);
	MPI_Comm_compare(WORLD, reversed, &result);
	CHECK_INT(result, size > 1 ? MPI_SIMILAR : MPI_CONGRUENT);
	MPI_Comm_split(WORLD, rank == 0, 0, &half);
	MPI_Comm_compare(WORLD, half, &result);
	CHECK_INT(result, size > 1 ? MPI_UNEQUAL : MPI_CONGRUENT);
	MPI_Comm_free(&dup), MPI_Comm_free(&reversed), MPI_Comm_free(&half);
}

static void create(void)
{
	MPI_Group world, some;
	MPI_Comm comm;
	int n, me;

	MPI_Comm_group(WORLD, &world);
	MPI_Group_range_incl(world, 1, (int[1][3]){{size - 1, 0, -2}}, &some);
	MPI_Comm_create(WORLD, some, &comm);
	if ((size - 1 - rank) % 2) {
		CHECK(comm == MPI_COMM_NULL);
	} else {
		MPI_Comm_rank(comm, &me);
		MPI_Comm_size(comm, &n);
		CHECK_INT(me, (size - 1 - rank) / 2);
		CHECK_INT(n, (size + 1) / 2);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
		MPI_Comm_create_group(WORLD, some, 7, &comm); /* only the members call it */
		MPI_Comm_size(comm, &n);
		CHECK_INT(n, (size + 1) / 2);
		MPI_Barrier(comm);
		MPI_Comm_free(&comm);
	}
	MPI_Comm_create(WORLD, MPI_GROUP_EMPTY, &comm);
	CHECK(comm == MPI_COMM_NULL);
	MPI_Group_free(&some);
	MPI_Group_free(&world);
}

/* Groups of disjoint members in one call of Comm_create. */
static void create_many(void)
{
	MPI_Group world, mine;
	MPI_Comm comm;
	int n;

	MPI_Comm_group(WORLD, &world);
	MPI_Group_range_incl(world, 1, (int[1][3]){{rank % 2, size - 1 - (size - 1 - rank % 2) % 2, 2}}, &mine);
	MPI_Comm_create(WORLD, mine, &comm);
	MPI_Comm_size(comm, &n);
	CHECK_INT(n, (size - rank % 2 + 1) / 2);
	MPI_Comm_free(&comm);
	MPI_Group_free(&mine);
	MPI_Group_free(&world);
}

/* A communicator freed with a receive pending lives until that is done. */
static void freed_early(void)
{
	MPI_Comm comm, copy;
	MPI_Request req;
	int value = -1;

	MPI_Comm_dup(WORLD, &comm);
	copy = comm;
	MPI_Irecv(&value, 1, MPI_INT, (rank + size - 1) % size, 1, comm, &req);
	MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 1, comm);
	MPI_Comm_free(&comm);
	CHECK(copy != MPI_COMM_NULL);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	CHECK_INT(value, (rank + size - 1) % size);
}

static void many(void)
{
	MPI_Comm comm[40];

	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < LEN(comm); i++)
			MPI_Comm_dup(i % 2 ? WORLD : MPI_COMM_SELF, &comm[i]);
		for (int i = 0; i < LEN(comm); i++)
			MPI_Comm_free(&comm[i]);
	}
}

static void is_inter(void)
{
	int flag = 1;

	MPI_Comm_test_inter(WORLD, &flag);
	CHECK(!flag);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	compare();
	create();
	create_many();
	freed_early();
	many();
	is_inter();
	return check_end("comm_create");
}
