/* Does Comm_split group by colour, order by key and then by old rank, and give no communicator for MPI_UNDEFINED? */
#include "check.h"

static void expect(MPI_Comm comm, int n, int place, int total)
{
	int me, many, sum;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &many);
	CHECK_INT(many, n);
	CHECK_INT(me, place);
	MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK_INT(sum, total);
}

static void by_parity(void)
{
	MPI_Comm comm;
	int n = 0, total = 0;

	for (int r = rank % 2; r < size; r += 2)
		n++, total += r;
	MPI_Comm_split(WORLD, rank % 2, rank, &comm);
	expect(comm, n, rank / 2, total);
	MPI_Comm_free(&comm);
	CHECK(comm == MPI_COMM_NULL);
	MPI_Comm_split(WORLD, rank % 2, -rank, &comm);
	expect(comm, n, n - 1 - rank / 2, total);
	MPI_Comm_free(&comm);
}

/* Equal keys keep the old order; large colours and keys of both signs. */
static void keys(void)
{
	MPI_Comm comm;
	int at = 0;

	MPI_Comm_split(WORLD, 2000000000, rank % 3 - 1, &comm);
	for (int r = 0; r < size; r++)
		at += r % 3 < rank % 3 || (r % 3 == rank % 3 && r < rank);
	expect(comm, size, at, size * (size - 1) / 2);
	MPI_Comm_free(&comm);
}

static void undefined(void)
{
	MPI_Comm comm;

	MPI_Comm_split(WORLD, rank == 0 ? 3 : MPI_UNDEFINED, 0, &comm);
	CHECK((comm == MPI_COMM_NULL) == (rank != 0));
	if (rank == 0) {
		expect(comm, 1, 0, 0);
		MPI_Comm_free(&comm);
	}
	MPI_Comm_split(WORLD, MPI_UNDEFINED, 0, &comm);
	CHECK(comm == MPI_COMM_NULL);
}

/* Splits of splits, down to single ranks. */
static void nested(void)
{
	MPI_Comm comm, half;
	int me, many;

	MPI_Comm_dup(WORLD, &comm);
	for (;;) {
		MPI_Comm_rank(comm, &me);
		MPI_Comm_size(comm, &many);
		if (many == 1)
			break;
		MPI_Comm_split(comm, me < many / 2, 0, &half);
		MPI_Comm_free(&comm);
		comm = half;
	}
	MPI_Comm_free(&comm);
}

static void by_node(void)
{
	MPI_Comm comm;
	int me, n;

	MPI_Comm_split_type(WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &comm);
	CHECK(comm != MPI_COMM_NULL);
	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	CHECK(n >= 1 && n <= size && me >= 0 && me < n);
	MPI_Comm_free(&comm);
	MPI_Comm_split_type(WORLD, MPI_UNDEFINED, 0, MPI_INFO_NULL, &comm);
	CHECK(comm == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	by_parity();
	keys();
	undefined();
	nested();
	by_node();
	return check_end("comm_split");
}
