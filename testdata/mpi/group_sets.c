/* Are union, intersection and difference of groups, translation and comparison right and in the standard's order? */
#include "check.h"

#define N 8

/* Groups of a made-up world: subsets of the group of MPI_COMM_WORLD, so sizes adapt to what there is. */
static MPI_Group world;

static MPI_Group make(int n, const int *ranks)
{
	int kept[N], k = 0;
	MPI_Group g;

	for (int i = 0; i < n; i++)
		if (ranks[i] < size)
			kept[k++] = ranks[i];
	MPI_Group_incl(world, k, kept, &g);
	return g;
}

static void expect(MPI_Group g, int n, const int *ranks)
{
	int kept[N], k = 0, got, seen[N], order[N];

	for (int i = 0; i < n; i++)
		if (ranks[i] < size)
			kept[k++] = ranks[i];
	MPI_Group_size(g, &got);
	CHECK_INT(got, k);
	for (int i = 0; i < k; i++)
		order[i] = i;
	MPI_Group_translate_ranks(g, k, order, world, seen);
	for (int i = 0; i < k; i++)
		CHECK_INT(seen[i], kept[i]);
	if (g != MPI_GROUP_EMPTY)
		MPI_Group_free(&g);
}

#define LIST(...) LEN(((int[]){__VA_ARGS__})), (int[]){__VA_ARGS__}

static void sets(void)
{
	MPI_Group a = make(LIST(3, 1, 0, 5)), b = make(LIST(2, 5, 1, 6)), g;

	MPI_Group_union(a, b, &g);
	expect(g, LIST(3, 1, 0, 5, 2, 6));
	MPI_Group_union(b, a, &g);
	expect(g, LIST(2, 5, 1, 6, 3, 0));
	MPI_Group_intersection(a, b, &g);
	expect(g, LIST(1, 5));
	MPI_Group_intersection(b, a, &g);
	expect(g, LIST(5, 1));
	MPI_Group_difference(a, b, &g);
	expect(g, LIST(3, 0));
	MPI_Group_difference(b, a, &g);
	expect(g, LIST(2, 6));
	MPI_Group_difference(a, a, &g);
	CHECK(g == MPI_GROUP_EMPTY);
	MPI_Group_union(a, MPI_GROUP_EMPTY, &g);
	expect(g, LIST(3, 1, 0, 5));
	MPI_Group_intersection(a, MPI_GROUP_EMPTY, &g);
	CHECK(g == MPI_GROUP_EMPTY);
	MPI_Group_free(&a);
	MPI_Group_free(&b);
}

static void compare(void)
{
	MPI_Group a = make(LIST(1, 0)), b = make(LIST(0, 1)), c = make(LIST(1, 0)), d = make(LIST(0));
	int result;

	MPI_Group_compare(a, c, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Group_compare(a, b, &result);
	CHECK_INT(result, size > 1 ? MPI_SIMILAR : MPI_IDENT);
	MPI_Group_compare(a, d, &result);
	CHECK_INT(result, size > 1 ? MPI_UNEQUAL : MPI_IDENT);
	MPI_Group_compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Group_free(&a), MPI_Group_free(&b), MPI_Group_free(&c), MPI_Group_free(&d);
	CHECK(a == MPI_GROUP_NULL);
}

static void translate(void)
{
	MPI_Group a = make(LIST(1, 0)), odd = make(LIST(1, 3, 5));
	int in[] = {0, MPI_PROC_NULL}, out[2], me;

	if (size > 1) {
		MPI_Group_translate_ranks(a, 2, in, odd, out);
		CHECK_INT(out[0], 0);
		CHECK_INT(out[1], MPI_PROC_NULL);
		MPI_Group_translate_ranks(a, 1, (int[]){1}, odd, out);
		CHECK_INT(out[0], MPI_UNDEFINED);
	}
	MPI_Group_rank(odd, &me);
	CHECK_INT(me, rank % 2 && rank < 6 ? rank / 2 : MPI_UNDEFINED);
	MPI_Group_free(&a);
	MPI_Group_free(&odd);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_group(WORLD, &world);
	sets();
	compare();
	translate();
	MPI_Group_free(&world);
	return check_end("group_sets");
}
