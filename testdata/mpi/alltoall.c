/* Do alltoall and alltoallv exchange all blocks, in place too, with zero counts and unequal blocks? */
#include "check.h"

#define MAX 1500

static int *in, *out, *sends, *receives, *from, *to;

static int salt(int source, int target) { return source * 1000 + target; }

static void alltoall(int n)
{
	check_wipe(in, n * size);
	for (int r = 0; r < size; r++)
		check_fill(out + r * n, n, salt(rank, r));
	MPI_Alltoall(out, n, MPI_INT, in, n, MPI_INT, WORLD);
	for (int r = 0; r < size; r++)
		CHECK(check_filled(in + r * n, n, salt(r, rank)));
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, out, n, MPI_INT, WORLD);
	for (int r = 0; r < size; r++)
		CHECK(check_filled(out + r * n, n, salt(r, rank)));
}

static int length(int source, int target, int round) { return (source * 3 + target * 5 + round) % 4 * round * 7; }

/* Blocks are sent from reversed places, received with a gap of one. */
static void plan(int round)
{
	for (int r = size - 1, at = 0; r >= 0; r--) {
		sends[r] = length(rank, r, round);
		to[r] = at;
		at += sends[r];
	}
	for (int r = 0, at = 1; r < size; r++) {
		receives[r] = length(r, rank, round);
		from[r] = at;
		at += receives[r] + 1;
	}
}

static void alltoallv(int round)
{
	plan(round);
	check_wipe(in, (MAX + 1) * size);
	for (int r = 0; r < size; r++)
		check_fill(out + to[r], sends[r], salt(rank, r));
	MPI_Alltoallv(out, sends, to, MPI_INT, in, receives, from, MPI_INT, WORLD);
	for (int r = 0; r < size; r++) {
		CHECK(check_filled(in + from[r], receives[r], salt(r, rank)));
		CHECK_INT(in[from[r] - 1], -1);
		CHECK_INT(in[from[r] + receives[r]], -1);
	}
}

/* In place the counts must be symmetric. */
static void alltoallv_in_place(void)
{
	for (int r = 0, at = 0; r < size; r++) {
		receives[r] = (r + rank) % 5 * 9;
		from[r] = at;
		at += receives[r];
		check_fill(in + from[r], receives[r], salt(rank, r));
	}
	MPI_Alltoallv(MPI_IN_PLACE, NULL, NULL, MPI_INT, in, receives, from, MPI_INT, WORLD);
	for (int r = 0; r < size; r++)
		CHECK(check_filled(in + from[r], receives[r], salt(r, rank)));
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	in = malloc((MAX + 1) * size * sizeof *in);
	out = malloc((MAX + 1) * size * sizeof *out);
	sends = malloc(4 * size * sizeof *sends);
	receives = sends + size;
	from = receives + size;
	to = from + size;
	alltoall(0);
	alltoall(1);
	alltoall(20);
	alltoall(MAX);
	for (int round = 0; round < 6; round++)
		alltoallv(round);
	alltoallv_in_place();
	free(in);
	free(out);
	free(sends);
	return check_end("alltoall");
}
