/* Do types live as long as something uses them: pending messages, other types, contents that were asked for, duplicates? */
#include "check.h"

#define N 20000 /* more than what is sent at once */

static int out[2 * N], in[2 * N];

static MPI_Datatype every_other(int n)
{
	MPI_Datatype t;

	MPI_Type_vector(n, 1, 2, MPI_INT, &t);
	MPI_Type_commit(&t);
	return t;
}

/* Freed after a call has begun: the message still moves by it. */
static void pending(void)
{
	MPI_Datatype t = every_other(N), u = every_other(N);
	MPI_Request requests[2];
	int right = (rank + 1) % size, left = (rank + size - 1) % size;

	check_fill(out, 2 * N, rank);
	check_wipe(in, 2 * N);
	MPI_Irecv(in, 1, u, left, 1, WORLD, &requests[0]);
	MPI_Isend(out, 1, t, right, 1, WORLD, &requests[1]);
	MPI_Type_free(&t);
	MPI_Type_free(&u);
	CHECK(t == MPI_DATATYPE_NULL && u == MPI_DATATYPE_NULL);
	t = every_other(3); /* takes the place of a freed one */
	MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
	MPI_Type_free(&t);
	for (int i = 0; i < 2 * N - 1; i++)
		CHECK_INT(in[i], i % 2 ? -1 : check_value(left, i));
}

static void persistent(void)
{
	MPI_Datatype t = every_other(10);
	MPI_Request requests[2];

	MPI_Recv_init(in, 1, t, rank, 2, WORLD, &requests[0]);
	MPI_Send_init(out, 1, t, rank, 2, WORLD, &requests[1]);
	MPI_Type_free(&t);
	for (int round = 0; round < 3; round++) {
		check_fill(out, 20, round);
		check_wipe(in, 20);
		MPI_Startall(2, requests);
		MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
		for (int i = 0; i < 19; i++)
			CHECK_INT(in[i], i % 2 ? -1 : check_value(round, i));
	}
	MPI_Request_free(&requests[0]);
	MPI_Request_free(&requests[1]);
}

/* A type outlives those it is made of, and its contents can be asked for and used. */
static void parts(void)
{
	MPI_Datatype inner = every_other(3), outer, part;
	int ni, na, nt, combiner, ints[1], bytes;
	MPI_Aint addresses[1];

	MPI_Type_contiguous(4, inner, &outer);
	MPI_Type_free(&inner);
	MPI_Type_commit(&outer);
	MPI_Type_size(outer, &bytes);
	CHECK_INT(bytes, 48);
	MPI_Type_get_envelope(outer, &ni, &na, &nt, &combiner);
	CHECK(combiner == MPI_COMBINER_CONTIGUOUS && ni == 1 && na == 0 && nt == 1);
	MPI_Type_get_contents(outer, 1, 0, 1, ints, addresses, &part);
	MPI_Type_free(&outer);
	MPI_Type_commit(&part);
	check_fill(out, 6, 9);
	check_wipe(in, 6);
	MPI_Sendrecv(out, 1, part, rank, 0, in, 3, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(in[0] == out[0] && in[1] == out[2] && in[2] == out[4]);
	MPI_Type_free(&part);
}

/* A duplicate is committed when the original is, and may be used when that one is gone. */
static void duplicates(void)
{
	MPI_Datatype t = every_other(3), copy;

	MPI_Type_dup(t, &copy);
	MPI_Type_free(&t);
	MPI_Sendrecv(out, 1, copy, rank, 0, in, 3, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(in[2] == out[4]);
	MPI_Type_commit(&copy);
	MPI_Type_free(&copy);
	MPI_Type_dup(MPI_INT, &copy);
	MPI_Sendrecv(out, 3, copy, rank, 0, in, 3, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE);
	CHECK(in[2] == out[2]);
	MPI_Type_free(&copy);
}

/* Nested deeply, made and freed often. */
static void many(void)
{
	for (int round = 0; round < 300; round++) {
		MPI_Datatype t = MPI_INT, next;
		for (int depth = 0; depth < 30; depth++) {
			if (depth % 3 == 0)
				MPI_Type_contiguous(1, t, &next);
			else if (depth % 3 == 1)
				MPI_Type_create_struct(1, (int[]){1}, (MPI_Aint[]){4}, &t, &next);
			else
				MPI_Type_create_resized(t, 0, 8 + 4 * depth, &next);
			if (depth > 0)
				MPI_Type_free(&t);
			t = next;
		}
		MPI_Type_commit(&t);
		if (round == 0) {
			check_fill(out, 400, 4);
			MPI_Sendrecv(out, 2, t, rank, 0, in, 2, MPI_INT, rank, 0, WORLD, MPI_STATUS_IGNORE);
			MPI_Aint lb, extent;
			MPI_Type_get_true_extent(t, &lb, &extent);
			CHECK(lb == 40 && extent == 4);
			MPI_Type_get_extent(t, &lb, &extent);
			CHECK_INT(in[0], out[10]);
			CHECK_INT(in[1], out[10 + extent / 4]);
		}
		MPI_Type_free(&t);
	}
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	pending();
	persistent();
	parts();
	duplicates();
	many();
	return check_end("type_life");
}
