/* Do allgather and allgatherv give every rank all blocks, in place too, with zero counts and other types? */
#include "check.h"

#define MAX 2000

static int mine[MAX], *all, *counts, *places;

static void allgather(int n)
{
	check_fill(mine, n, n + rank);
	check_wipe(all, n * size);
	MPI_Allgather(mine, n, MPI_INT, all, n, MPI_INT, WORLD);
	for (int r = 0; r < size; r++)
		CHECK(check_filled(all + r * n, n, n + r));
	check_wipe(all, n * size);
	check_fill(all + rank * n, n, n + rank);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all, n, MPI_INT, WORLD);
	for (int r = 0; r < size; r++)
		CHECK(check_filled(all + r * n, n, n + r));
}

static void plan(int round)
{
	for (int r = 0, at = 0; r < size; r++) {
		counts[r] = (r + round) % 3 * round * 10;
		places[r] = at + 2;
		at = places[r] + counts[r];
	}
}

static void check_v(int salt)
{
	for (int r = 0; r < size; r++) {
		CHECK(check_filled(all + places[r], counts[r], salt + r));
		CHECK_INT(all[places[r] - 1], -1);
	}
}

static void allgatherv(int round)
{
	int room = 2 * size + 2 + round * 20 * size;

	plan(round);
	check_wipe(all, room);
	check_fill(mine, counts[rank], 50 + rank);
	MPI_Allgatherv(mine, counts[rank], MPI_INT, all, counts, places, MPI_INT, WORLD);
	check_v(50);
	check_wipe(all, room);
	check_fill(all + places[rank], counts[rank], 51 + rank);
	MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, WORLD);
	check_v(51);
}

/* Sent as pairs, received as single ints with a stride of two. */
static void typed(void)
{
	MPI_Datatype pair, sparse;

	MPI_Type_contiguous(2, MPI_INT, &pair);
	MPI_Type_commit(&pair);
	MPI_Type_create_resized(MPI_INT, 0, 2 * sizeof(int), &sparse);
	MPI_Type_commit(&sparse);
	check_fill(mine, 4, rank);
	check_wipe(all, 8 * size);
	MPI_Allgather(mine, 2, pair, all, 4, sparse, WORLD);
	for (int i = 0; i < 8 * size; i++)
		CHECK_INT(all[i], i % 2 ? -1 : check_value(i / 8, i % 8 / 2));
	MPI_Type_free(&pair);
	MPI_Type_free(&sparse);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	all = malloc((MAX + 10) * size * sizeof *all);
	counts = malloc(size * sizeof *counts);
	places = malloc(size * sizeof *places);
	allgather(0);
	allgather(1);
	allgather(33);
	allgather(MAX);
	for (int round = 0; round < 6; round++)
		allgatherv(round);
	typed();
	free(all);
	free(counts);
	free(places);
	return check_end("allgather");
}
