/* Do status fields, Get_count, Get_elements, Status_set_elements and Status_set_cancelled agree with the message? */
#include "check.h"

static void counts(void)
{
	struct { double d; int i; } out[2] = {{1, 2}, {3, 4}}, in[4];
	int lengths[] = {1, 1}, n;
	MPI_Aint at[] = {0, 8};
	MPI_Datatype types[] = {MPI_DOUBLE, MPI_INT}, pair, half;
	MPI_Status status;
	MPI_Count many;

	MPI_Type_create_struct(2, lengths, at, types, &pair);
	MPI_Type_commit(&pair);
	MPI_Sendrecv(out, 2, pair, rank, 5, in, 4, pair, rank, 5, WORLD, &status);
	MPI_Get_count(&status, pair, &n);
	CHECK_INT(n, 2);
	MPI_Get_elements(&status, pair, &n);
	CHECK_INT(n, 4);
	MPI_Get_elements_x(&status, pair, &many);
	CHECK_INT(many, 4);
	MPI_Get_count(&status, MPI_BYTE, &n);
	CHECK_INT(n, 24);

	/* One and a half pairs: a pair and a double. */
	MPI_Type_create_struct(2, (int[]){1, 1}, (MPI_Aint[]){0, 16}, (MPI_Datatype[]){pair, MPI_DOUBLE}, &half);
	MPI_Type_commit(&half);
	MPI_Sendrecv(out, 1, half, rank, 6, in, 4, pair, rank, 6, WORLD, &status);
	MPI_Get_elements(&status, pair, &n);
	CHECK_INT(n, 3);
	MPI_Get_count(&status, pair, &n);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Type_free(&half);
	MPI_Type_free(&pair);
}

static void partial(void)
{
	MPI_Datatype three;
	MPI_Status status;
	int data[9], in[9], n;

	MPI_Type_contiguous(3, MPI_INT, &three);
	MPI_Type_commit(&three);
	check_fill(data, 9, 1);
	MPI_Sendrecv(data, 5, MPI_INT, rank, 5, in, 3, three, rank, 5, WORLD, &status);
	MPI_Get_count(&status, three, &n);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Get_elements(&status, three, &n);
	CHECK_INT(n, 5);
	MPI_Type_free(&three);
}

static void setters(void)
{
	MPI_Status status;
	int n, flag;

	memset(&status, 0, sizeof status);
	MPI_Status_set_elements(&status, MPI_INT, 7);
	MPI_Get_elements(&status, MPI_INT, &n);
	CHECK_INT(n, 7);
	MPI_Get_count(&status, MPI_INT, &n);
	CHECK_INT(n, 7);
	MPI_Status_set_cancelled(&status, 1);
	MPI_Test_cancelled(&status, &flag);
	CHECK(flag);
	MPI_Status_set_cancelled(&status, 0);
	MPI_Test_cancelled(&status, &flag);
	CHECK(!flag);
}

/* A call with one status leaves MPI_ERROR alone. */
static void error_field(void)
{
	MPI_Status status;

	status.MPI_ERROR = 12345;
	MPI_Sendrecv(NULL, 0, MPI_INT, rank, 8, NULL, 0, MPI_INT, rank, 8, WORLD, &status);
	CHECK_INT(status.MPI_ERROR, 12345);
	CHECK_INT(status.MPI_SOURCE, rank);
	CHECK_INT(status.MPI_TAG, 8);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	counts();
	partial();
	setters();
	error_field();
	return check_end("status");
}
