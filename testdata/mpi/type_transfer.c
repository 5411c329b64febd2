/* Do derived types work between ranks, large and small, typed on one side and flat or differently typed on the other? */
#include "check.h"

#define ROWS 300
#define COLS 70

struct record {
	char tag;
	double weight[2];
	short kind;
	int id;
};

static struct record in[500], out[500];

static MPI_Datatype record_type(void)
{
	int lengths[] = {1, 2, 1, 1};
	MPI_Aint base, places[4];
	MPI_Datatype types[] = {MPI_CHAR, MPI_DOUBLE, MPI_SHORT, MPI_INT}, plain, type;

	MPI_Get_address(&out[0], &base);
	MPI_Get_address(&out[0].tag, &places[0]);
	MPI_Get_address(&out[0].weight, &places[1]);
	MPI_Get_address(&out[0].kind, &places[2]);
	MPI_Get_address(&out[0].id, &places[3]);
	for (int i = 0; i < 4; i++)
		places[i] = MPI_Aint_diff(places[i], base);
	MPI_Type_create_struct(4, lengths, places, types, &plain);
	MPI_Type_create_resized(plain, 0, sizeof(struct record), &type);
	MPI_Type_commit(&type);
	MPI_Type_free(&plain);
	return type;
}

static void records(int n, int to, int from)
{
	MPI_Datatype type = record_type();

	for (int i = 0; i < n; i++)
		out[i] = (struct record){(char)('a' + i % 26), {rank, i}, (short)(rank - i), rank * 1000 + i};
	memset(in, 0, sizeof in);
	MPI_Sendrecv(out, n, type, to, 1, in, LEN(in), type, from, 1, WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < n; i++) {
		CHECK_INT(in[i].tag, 'a' + i % 26);
		CHECK(in[i].weight[0] == from && in[i].weight[1] == i);
		CHECK_INT(in[i].kind, from - i);
		CHECK_INT(in[i].id, from * 1000 + i);
	}
	MPI_Type_free(&type);
}

/* A matrix is sent by columns and received by rows: transposed on the way. */
static void transpose(int to, int from)
{
	static int a[ROWS][COLS], t[COLS][ROWS];
	MPI_Datatype column, narrow;

	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			a[i][j] = rank + i * 1000 + j;
	MPI_Type_vector(ROWS, 1, COLS, MPI_INT, &column);
	MPI_Type_create_resized(column, 0, sizeof(int), &narrow);
	MPI_Type_commit(&narrow);
	MPI_Sendrecv(a, COLS, narrow, to, 2, t, ROWS * COLS, MPI_INT, from, 2, WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < ROWS; i++)
		for (int j = 0; j < COLS; j++)
			CHECK_INT(t[j][i], from + i * 1000 + j);
	MPI_Type_free(&column);
	MPI_Type_free(&narrow);
}

/* Sent with gaps of one kind, received with gaps of another; freed while the operation is pending. */
static void gaps(int to, int from)
{
	static int a[4 * 5000], b[6 * 5000];
	MPI_Datatype odd, sparse;
	MPI_Request req[2];
	MPI_Status status[2];

	check_fill(a, LEN(a), rank);
	check_wipe(b, LEN(b));
	MPI_Type_vector(5000, 2, 4, MPI_INT, &odd);
	MPI_Type_vector(5000, 2, 6, MPI_INT, &sparse);
	MPI_Type_commit(&odd);
	MPI_Type_commit(&sparse);
	MPI_Irecv(b, 1, sparse, from, 3, WORLD, &req[0]);
	MPI_Isend(a, 1, odd, to, 3, WORLD, &req[1]);
	MPI_Type_free(&odd);
	MPI_Type_free(&sparse);
	MPI_Waitall(2, req, status);
	for (int i = 0; i < LEN(b); i++)
		CHECK_INT(b[i], i % 6 < 2 ? check_value(from, i / 6 * 4 + i % 6) : -1);
}

/* Absolute addresses with MPI_BOTTOM. */
static void bottom(int to, int from)
{
	int x = rank, y = rank * 2, parts[2], lengths[] = {1, 1};
	MPI_Aint at[2];
	MPI_Datatype types[] = {MPI_INT, MPI_INT}, type;

	MPI_Get_address(&x, &at[0]);
	MPI_Get_address(&y, &at[1]);
	MPI_Type_create_struct(2, lengths, at, types, &type);
	MPI_Type_commit(&type);
	MPI_Sendrecv(MPI_BOTTOM, 1, type, to, 4, parts, 2, MPI_INT, from, 4, WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(parts[0], from);
	CHECK_INT(parts[1], from * 2);
	MPI_Type_free(&type);
}

int main(int argc, char **argv)
{
	int to, from;

	check_begin(&argc, &argv);
	to = (rank + 1) % size;
	from = (rank + size - 1) % size;
	records(1, to, from);
	records(500, to, from);
	transpose(to, from);
	gaps(to, from);
	bottom(to, from);
	return check_end("type_transfer");
}
