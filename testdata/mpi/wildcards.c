/* Do ANY_SOURCE and ANY_TAG match every message once, with the right envelope, among many pending ones? */
#include "check.h"

#define EACH 60

static MPI_Request req[EACH];
static int value[EACH];

static void check_one(const MPI_Status *status, int got, int *next)
{
	int from = status->MPI_SOURCE;

	CHECK(from >= 0 && from < size);
	CHECK_INT(got, from * 1000 + next[from]);
	CHECK_INT(status->MPI_TAG, 5 + next[from] % 3);
	next[from]++;
}

/* All pending at once: everything has been sent before the first receive. */
static void collect(int total)
{
	int got, *next = calloc(size, sizeof *next);
	MPI_Status status;

	for (int i = 0; i < total; i++) {
		MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, WORLD, &status);
		check_one(&status, got, next);
	}
	for (int r = 0; r < size; r++)
		CHECK_INT(next[r], EACH);
	free(next);
}

/* Tags in another order than sent, from anybody. */
static void choose_tag(void)
{
	MPI_Status status;
	int got;

	for (int tag = 7; tag >= 5; tag--)
		for (int i = 0; i < size; i++) {
			MPI_Recv(&got, 1, MPI_INT, MPI_ANY_SOURCE, tag, WORLD, &status);
			CHECK_INT(status.MPI_TAG, tag);
			CHECK_INT(got, status.MPI_SOURCE * 1000 + tag - 5);
		}
}

/* Sources in reverse, with any tag. */
static void choose_source(void)
{
	MPI_Status status;
	int got;

	for (int from = size - 1; from >= 0; from--)
		for (int i = 0; i < 3; i++) {
			MPI_Recv(&got, 1, MPI_INT, from, MPI_ANY_TAG, WORLD, &status);
			CHECK_INT(status.MPI_SOURCE, from);
			CHECK_INT(got, from * 1000 + i);
		}
}

/* Non-blocking, as rank 0 sends to itself too. */
static void send_to_zero(int count)
{
	for (int i = 0; i < count; i++) {
		value[i] = rank * 1000 + i;
		MPI_Isend(&value[i], 1, MPI_INT, 0, 5 + i % 3, WORLD, &req[i]);
	}
}

int main(int argc, char **argv)
{
	MPI_Status status[EACH];

	check_begin(&argc, &argv);
	send_to_zero(EACH);
	MPI_Barrier(WORLD);
	if (rank == 0)
		collect(EACH * size);
	MPI_Waitall(EACH, req, status);
	MPI_Barrier(WORLD);
	send_to_zero(3);
	if (rank == 0)
		choose_tag();
	MPI_Waitall(3, req, status);
	MPI_Barrier(WORLD);
	send_to_zero(3);
	if (rank == 0)
		choose_source();
	MPI_Waitall(3, req, status);
	return check_end("wildcards");
}
