/* Is Comm_create_group collective over its group only: at once with different tags and groups, in any order, groups in groups? */
#include "check.h"

static MPI_Group world;

static MPI_Group range(int first, int last, int stride)
{
	MPI_Group g;
	int r[1][3] = {{first, last, stride}};

	MPI_Group_range_incl(world, 1, r, &g);
	return g;
}

static void expect(MPI_Comm comm, int n, int place)
{
	int got, sum;

	CHECK(comm != MPI_COMM_NULL);
	MPI_Comm_size(comm, &got);
	CHECK_INT(got, n);
	MPI_Comm_rank(comm, &got);
	CHECK_INT(got, place);
	MPI_Allreduce(&got, &sum, 1, MPI_INT, MPI_SUM, comm);
	CHECK_INT(sum, n * (n - 1) / 2);
	MPI_Comm_free(&comm);
}

/* Even and odd ranks make theirs without each other, odd ones in reverse order. */
static void disjoint(void)
{
	int n = (size + 1 - rank % 2) / 2;
	MPI_Group g = rank % 2 ? range(2 * n - 1, 1, -2) : range(0, 2 * n - 2, 2);
	MPI_Comm comm;

	MPI_Comm_create_group(WORLD, g, rank % 2, &comm);
	expect(comm, n, rank % 2 ? n - 1 - rank / 2 : rank / 2);
	MPI_Group_free(&g);
}

/* Every pair of neighbours of a chain, overlapping; the tag tells the pairs apart. */
static void chain(void)
{
	MPI_Comm left = MPI_COMM_NULL, right = MPI_COMM_NULL;
	MPI_Group g;

	if (rank > 0) {
		g = range(rank - 1, rank, 1);
		MPI_Comm_create_group(WORLD, g, rank, &left);
		MPI_Group_free(&g);
	}
	if (rank < size - 1) {
		g = range(rank, rank + 1, 1);
		MPI_Comm_create_group(WORLD, g, rank + 1, &right);
		MPI_Group_free(&g);
	}
	if (right != MPI_COMM_NULL)
		MPI_Send(&rank, 1, MPI_INT, 1, 0, right);
	if (left != MPI_COMM_NULL) {
		int from;
		MPI_Recv(&from, 1, MPI_INT, 0, 0, left, MPI_STATUS_IGNORE);
		CHECK_INT(from, rank - 1);
		MPI_Comm_free(&left);
	}
	if (right != MPI_COMM_NULL)
		MPI_Comm_free(&right);
}

/* Ever fewer ranks, each within the communicator before. */
static void shrinking(void)
{
	MPI_Comm comm, next;
	int n = size;

	MPI_Comm_dup(WORLD, &comm);
	while (n > 1 && rank < n) {
		MPI_Group g = range(0, n - 2, 1);
		MPI_Comm_create_group(comm, g, 7, &next);
		CHECK((next == MPI_COMM_NULL) == (rank == n - 1));
		MPI_Group_free(&g);
		MPI_Comm_free(&comm);
		comm = next;
		n--;
	}
	if (comm != MPI_COMM_NULL)
		expect(comm, n, 0);
}

/* Messages of the program with the same tag, wildcards included, are not taken for the runtime's. */
static void among_messages(void)
{
	MPI_Comm comm;
	MPI_Request req;
	int in = -1;

	MPI_Irecv(&in, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &req);
	MPI_Comm_create_group(WORLD, world, 9, &comm);
	MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 9, WORLD);
	MPI_Wait(&req, MPI_STATUS_IGNORE);
	CHECK_INT(in, (rank + size - 1) % size);
	expect(comm, size, rank);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_group(WORLD, &world);
	for (int i = 0; i < 5; i++) {
		disjoint();
		chain();
	}
	shrinking();
	among_messages();
	MPI_Group_free(&world);
	return check_end("comm_create_group");
}
