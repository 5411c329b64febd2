/* Do incl, excl, range_incl and range_excl choose and order ranks as the standard says? */
#include "check.h"

static MPI_Group world;

/* A group holds these world ranks, in this order. */
static void expect(MPI_Group *g, int n, const int *want)
{
	int got, one;

	MPI_Group_size(*g, &got);
	CHECK_INT(got, n);
	for (int i = 0; i < n; i++) {
		MPI_Group_translate_ranks(*g, 1, &i, world, &one);
		CHECK_INT(one, want[i]);
	}
	if (*g != MPI_GROUP_EMPTY)
		MPI_Group_free(g);
}

static int descending(int first, int last, int step, int *out)
{
	int n = 0;

	for (int r = first; r >= last; r -= step)
		out[n++] = r;
	return n;
}

static void all(int *list)
{
	int n;
	MPI_Group g;

	n = descending(size - 1, 0, 1, list);
	MPI_Group_incl(world, n, list, &g);
	expect(&g, n, list);
	MPI_Group_range_incl(world, 1, (int[1][3]){{size - 1, 0, -1}}, &g);
	expect(&g, n, list);
	n = descending(size - 1, 0, 2, list);
	MPI_Group_range_incl(world, 1, (int[1][3]){{size - 1, 0, -2}}, &g);
	expect(&g, n, list);
	MPI_Group_incl(world, 0, NULL, &g);
	CHECK(g == MPI_GROUP_EMPTY);
	MPI_Group_excl(world, 0, NULL, &g);
	for (int r = 0; r < size; r++)
		list[r] = r;
	expect(&g, size, list);
	MPI_Group_excl(world, size, list, &g);
	CHECK(g == MPI_GROUP_EMPTY);
}

static void excluded(int *list)
{
	int n = 0;
	MPI_Group g;

	for (int r = 0; r < size; r++)
		if (r != 0 && r != size - 1)
			list[n++] = r;
	MPI_Group_excl(world, size > 1 ? 2 : 1, (int[]){size - 1, 0}, &g);
	expect(&g, n, list);
	n = 0;
	for (int r = 1; r < size; r += 2)
		list[n++] = r;
	MPI_Group_range_excl(world, 1, (int[1][3]){{0, size - 1, 2}}, &g);
	expect(&g, n, list);
}

static void two_ranges(int *list)
{
	int n = 0;
	MPI_Group g;

	if (size < 4)
		return;
	list[n++] = 3;
	list[n++] = 1;
	list[n++] = 0;
	list[n++] = 2;
	MPI_Group_range_incl(world, 2, (int[2][3]){{3, 1, -2}, {0, 2, 2}}, &g);
	expect(&g, n, list);
	n = 0;
	for (int r = 4; r < size; r++)
		list[n++] = r;
	MPI_Group_range_excl(world, 2, (int[2][3]){{3, 1, -2}, {0, 2, 2}}, &g);
	expect(&g, n, list);
}

int main(int argc, char **argv)
{
	int *list;

	check_begin(&argc, &argv);
	list = malloc((size + 1) * sizeof *list);
	MPI_Comm_group(WORLD, &world);
	all(list);
	excluded(list);
	two_ranges(list);
	MPI_Group_free(&world);
	free(list);
	return check_end("group_ranges");
}
