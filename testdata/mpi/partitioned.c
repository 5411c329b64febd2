/* Do partitioned sends and receives pair in order, with different partitions on both sides, round after round, and does a
 * partition arrive before the whole send is ready? */
#include "check.h"

#define MAX 120000

static int out[MAX], in[MAX];

static int to(void) { return (rank + 1) % size; }
static int from(void) { return (rank + size - 1) % size; }

/* The same data, divided differently, sent in an order of its own in each round. */
static void divided(int senders, int receivers, int n)
{
	MPI_Request r[2];
	MPI_Status status;
	int count;

	MPI_Psend_init(out, senders, n / senders, MPI_INT, to(), 3, WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(in, receivers, n / receivers, MPI_INT, from(), 3, WORLD, MPI_INFO_NULL, &r[1]);
	for (int round = 0; round < 3; round++) {
		check_wipe(in, n);
		check_fill(out, n, rank + round);
		MPI_Startall(2, r);
		if (round == 0)
			MPI_Pready_range(0, senders - 1, r[0]);
		for (int i = 0; round && i < senders; i++)
			MPI_Pready(round == 1 ? senders - 1 - i : i, r[0]);
		MPI_Wait(&r[1], &status);
		MPI_Wait(&r[0], MPI_STATUS_IGNORE);
		CHECK(check_filled(in, n, from() + round));
		CHECK_INT(status.MPI_SOURCE, from());
		CHECK_INT(status.MPI_TAG, 3);
		MPI_Get_count(&status, MPI_INT, &count);
		CHECK_INT(count, n);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	CHECK(r[0] == MPI_REQUEST_NULL);
}

/* Rank 0 to itself, so that the order is known: the first half arrives while the second is not ready. */
static void early(void)
{
	int list[] = {2, 3}, flag = 0;
	MPI_Request r[2];

	MPI_Precv_init(in, 2, 20, MPI_INT, rank, 4, WORLD, MPI_INFO_NULL, &r[1]);
	MPI_Psend_init(out, 4, 10, MPI_INT, rank, 4, WORLD, MPI_INFO_NULL, &r[0]);
	check_fill(out, 40, rank);
	check_wipe(in, 40);
	MPI_Start(&r[1]);
	MPI_Start(&r[0]);
	MPI_Parrived(r[1], 0, &flag);
	CHECK_INT(flag, 0);
	MPI_Pready(1, r[0]);
	MPI_Pready(0, r[0]);
	while (!flag)
		MPI_Parrived(r[1], 0, &flag);
	CHECK(check_filled(in, 20, rank));
	MPI_Parrived(r[1], 1, &flag);
	CHECK_INT(flag, 0);
	MPI_Pready_list(2, list, r[0]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	CHECK(check_filled(in, 40, rank));
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

/* Two pairs with the same tag and ranks: the first send belongs to the first receive. */
static void in_order(void)
{
	int a = rank, b = rank + 1000, x = -1, y = -1;
	MPI_Request r[4];

	MPI_Psend_init(&a, 1, 1, MPI_INT, to(), 5, WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Psend_init(&b, 1, 1, MPI_INT, to(), 5, WORLD, MPI_INFO_NULL, &r[1]);
	MPI_Precv_init(&x, 1, 1, MPI_INT, from(), 5, WORLD, MPI_INFO_NULL, &r[2]);
	MPI_Precv_init(&y, 1, 1, MPI_INT, from(), 5, WORLD, MPI_INFO_NULL, &r[3]);
	MPI_Start(&r[3]);
	MPI_Start(&r[1]);
	MPI_Pready(0, r[1]);
	MPI_Start(&r[0]);
	MPI_Pready(0, r[0]);
	MPI_Start(&r[2]);
	MPI_Waitall(4, r, MPI_STATUSES_IGNORE);
	CHECK_INT(x, from());
	CHECK_INT(y, from() + 1000);
	for (int i = 0; i < 4; i++)
		MPI_Request_free(&r[i]);
}

/* Elements of the receiver that no message carries whole, with gaps between them. */
static void across_elements(void)
{
	MPI_Datatype three;
	MPI_Request r[2];

	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &three);
	MPI_Type_contiguous(3, three, &three);
	MPI_Type_commit(&three);
	check_fill(out, 12, rank);
	check_wipe(in, 24);
	MPI_Psend_init(out, 6, 2, MPI_INT, to(), 6, WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(in, 2, 2, three, from(), 6, WORLD, MPI_INFO_NULL, &r[1]);
	MPI_Type_free(&three);
	MPI_Startall(2, r);
	MPI_Pready_range(0, 5, r[0]);
	MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
	for (int i = 0; i < 24; i++)
		CHECK_INT(in[i], i % 2 ? -1 : check_value(from(), i / 2));
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

static void nobody(void)
{
	MPI_Request r[2];
	MPI_Status status;
	int flag = 0;

	MPI_Psend_init(out, 2, 1, MPI_INT, MPI_PROC_NULL, 7, WORLD, MPI_INFO_NULL, &r[0]);
	MPI_Precv_init(in, 2, 1, MPI_INT, MPI_PROC_NULL, 7, WORLD, MPI_INFO_NULL, &r[1]);
	MPI_Startall(2, r);
	MPI_Pready_range(0, 1, r[0]);
	MPI_Parrived(r[1], 1, &flag);
	CHECK(flag);
	MPI_Wait(&r[1], &status);
	CHECK_INT(status.MPI_SOURCE, MPI_PROC_NULL);
	MPI_Wait(&r[0], MPI_STATUS_IGNORE);
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
}

int main(int argc, char **argv)
{
	static const int cases[][3] = {{1, 1, 1}, {1, 16, 64}, {16, 1, 64}, {8, 8, 64}, {6, 4, 24}, {4, 6, 24}, {300, 7, 2100},
				       {3, 5, 120000}, {2, 2, 120000}, {1000, 10, 100000}};

	check_begin(&argc, &argv);
	for (int i = 0; i < LEN(cases); i++)
		divided(cases[i][0], cases[i][1], cases[i][2]);
	early();
	in_order();
	across_elements();
	nobody();
	return check_end("partitioned");
}
