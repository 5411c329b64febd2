/* Do gatherv and scatterv put blocks of different lengths where the root says, gaps and reverse order included? */
#include "check.h"

#define GAP 3

static int mine[1000], *all, *counts, *places, total;

static int length(int r, int round) { return (r * 37 + round * 11) % 50 * (round % 3); }

/* Blocks in reverse order of ranks, with gaps. */
static void plan(int round)
{
	int at = GAP;

	for (int r = size - 1; r >= 0; r--) {
		counts[r] = length(r, round);
		places[r] = at;
		at += counts[r] + GAP;
	}
	total = at;
}

static void check_layout(int salt)
{
	int filled = 0;

	for (int r = 0; r < size; r++) {
		CHECK(check_filled(all + places[r], counts[r], salt + r));
		filled += counts[r];
	}
	for (int i = 0; i < total; i++)
		filled += all[i] == -1;
	CHECK_INT(filled, total);
}

static void gatherv(int root, int round)
{
	check_wipe(all, total);
	check_fill(mine, length(rank, round), 30 + rank);
	MPI_Gatherv(mine, length(rank, round), MPI_INT, all, rank == root ? counts : NULL, rank == root ? places : NULL,
	            MPI_INT, root, WORLD);
	if (rank == root)
		check_layout(30);
}

static void gatherv_in_place(int root, int round)
{
	check_wipe(all, total);
	check_fill(mine, length(rank, round), 31 + rank);
	if (rank == root) {
		check_fill(all + places[rank], counts[rank], 31 + rank);
		MPI_Gatherv(MPI_IN_PLACE, 0, MPI_INT, all, counts, places, MPI_INT, root, WORLD);
		check_layout(31);
	} else {
		MPI_Gatherv(mine, length(rank, round), MPI_INT, NULL, NULL, NULL, MPI_INT, root, WORLD);
	}
}

static void scatterv(int root, int round)
{
	int n = length(rank, round);

	check_wipe(all, total);
	for (int r = 0; r < size; r++)
		check_fill(all + places[r], counts[r], 32 + r);
	check_wipe(mine, n + 1);
	MPI_Scatterv(all, counts, places, MPI_INT, mine, n, MPI_INT, root, WORLD);
	CHECK(check_filled(mine, n, 32 + rank));
	CHECK_INT(mine[n], -1);
	check_wipe(mine, n);
	if (rank == root) {
		MPI_Scatterv(all, counts, places, MPI_INT, MPI_IN_PLACE, 0, MPI_INT, root, WORLD);
		check_layout(32);
	} else {
		MPI_Scatterv(NULL, NULL, NULL, MPI_INT, mine, n, MPI_INT, root, WORLD);
		CHECK(check_filled(mine, n, 32 + rank));
	}
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	all = malloc((size + 1) * 200 * sizeof *all);
	counts = malloc(size * sizeof *counts);
	places = malloc(size * sizeof *places);
	for (int root = 0; root < size; root++)
		for (int round = 0; round < 5; round++) {
			plan(round);
			gatherv(root, round);
			gatherv_in_place(root, round);
			scatterv(root, round);
		}
	free(all);
	free(counts);
	free(places);
	return check_end("gatherv_scatterv");
}
