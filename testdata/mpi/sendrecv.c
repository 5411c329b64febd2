/* Do Sendrecv and Sendrecv_replace shift data round a ring without deadlock, small and large? */
#include "check.h"

#define LARGE 60000

static int in[LARGE], out[LARGE];

static void shift(int n, int distance)
{
	MPI_Status status;
	int to = (rank + distance) % size, from = (rank + size - distance % size) % size, got;

	check_fill(out, n, rank);
	check_wipe(in, n);
	MPI_Sendrecv(out, n, MPI_INT, to, rank, in, LARGE, MPI_INT, from, from, WORLD, &status);
	MPI_Get_count(&status, MPI_INT, &got);
	CHECK_INT(got, n);
	CHECK_INT(status.MPI_SOURCE, from);
	CHECK_INT(status.MPI_TAG, from);
	CHECK(check_filled(in, n, from));
	CHECK(check_filled(out, n, rank));
}

static void replace(int n, int distance)
{
	MPI_Status status;
	int to = (rank + distance) % size, from = (rank + size - distance % size) % size;

	check_fill(out, n, rank);
	MPI_Sendrecv_replace(out, n, MPI_INT, to, 1, from, MPI_ANY_TAG, WORLD, &status);
	CHECK_INT(status.MPI_SOURCE, from);
	CHECK_INT(status.MPI_TAG, 1);
	CHECK(check_filled(out, n, from));
}

/* Other types and counts on the two sides; replacement of a vector leaves the gaps alone. */
static void typed(void)
{
	MPI_Datatype column;
	int to = (rank + 1) % size, from = (rank + size - 1) % size, data[12];

	MPI_Type_vector(4, 1, 3, MPI_INT, &column);
	MPI_Type_commit(&column);
	check_fill(data, 12, rank);
	MPI_Sendrecv_replace(data, 1, column, to, 2, from, 2, WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 12; i++)
		CHECK_INT(data[i], check_value(i % 3 ? rank : from, i));
	MPI_Sendrecv(data + 1, 1, column, to, 3, in, 4, MPI_INT, from, 3, WORLD, MPI_STATUS_IGNORE);
	for (int i = 0; i < 4; i++)
		CHECK_INT(in[i], check_value(from, 3 * i + 1));
	MPI_Type_free(&column);
}

int main(int argc, char **argv)
{
	const int counts[] = {0, 1, 1000, LARGE};

	check_begin(&argc, &argv);
	for (int c = 0; c < LEN(counts); c++)
		for (int distance = 0; distance <= size; distance++) {
			shift(counts[c], distance);
			replace(counts[c], distance);
		}
	typed();
	return check_end("sendrecv");
}
