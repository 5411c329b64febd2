/* Are wrong groups, ranks and ranges found with the right class; and do the empty group and MPI_PROC_NULL behave? */
#include "check.h"

static MPI_Group world;

static void bad_groups(MPI_Group bad)
{
	MPI_Group out, copy = bad;
	int n, ranks[1] = {0}, ranges[1][3] = {{0, 0, 1}};

	CHECK_FAILS(MPI_Group_size(bad, &n), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_rank(bad, &n), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_compare(bad, world, &n), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_compare(world, bad, &n), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_translate_ranks(bad, 1, ranks, world, &n), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_translate_ranks(world, 1, ranks, bad, &n), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_union(bad, world, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_intersection(world, bad, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_difference(bad, world, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_incl(bad, 1, ranks, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_excl(bad, 1, ranks, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_range_incl(bad, 1, ranges, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_range_excl(bad, 1, ranges, &out), MPI_ERR_GROUP);
	CHECK_FAILS(MPI_Group_free(&copy), MPI_ERR_GROUP);
}

static void bad_ranks(void)
{
	MPI_Group out;
	int twice[2] = {0, 0}, high[1] = {size}, low[1] = {-1}, n, stride0[1][3] = {{0, 0, 0}}, over[1][3] = {{0, size, 1}};
	int again[2][3] = {{0, 0, 1}, {0, 0, 1}};

	CHECK_FAILS(MPI_Group_incl(world, 2, twice, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Group_incl(world, 1, high, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Group_incl(world, 1, low, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Group_excl(world, 2, twice, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Group_excl(world, 1, high, &out), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Group_incl(world, -1, low, &out), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Group_range_incl(world, 1, stride0, &out), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Group_range_excl(world, 1, stride0, &out), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Group_range_incl(world, 1, over, &out), MPI_ERR_RANK);
	CHECK(MPI_Group_range_incl(world, 2, again, &out) != MPI_SUCCESS);
	CHECK_FAILS(MPI_Group_translate_ranks(world, 1, high, world, &n), MPI_ERR_RANK);
	CHECK_FAILS(MPI_Group_translate_ranks(world, -1, high, world, &n), MPI_ERR_ARG);
}

static void empty(void)
{
	MPI_Group out, all[1];
	int n, ranks[2] = {0, MPI_PROC_NULL}, to[2];
	MPI_Comm comm;

	MPI_Group_incl(world, 0, ranks, &out);
	CHECK(out == MPI_GROUP_EMPTY);
	MPI_Group_difference(world, world, &out);
	CHECK(out == MPI_GROUP_EMPTY);
	MPI_Group_intersection(world, MPI_GROUP_EMPTY, &out);
	CHECK(out == MPI_GROUP_EMPTY);
	MPI_Group_union(MPI_GROUP_EMPTY, world, all);
	MPI_Group_compare(all[0], world, &n);
	CHECK_INT(n, MPI_IDENT);
	MPI_Group_free(all);
	MPI_Group_size(MPI_GROUP_EMPTY, &n);
	CHECK_INT(n, 0);
	MPI_Group_rank(MPI_GROUP_EMPTY, &n);
	CHECK_INT(n, MPI_UNDEFINED);
	MPI_Group_compare(MPI_GROUP_EMPTY, world, &n);
	CHECK_INT(n, MPI_UNEQUAL);
	MPI_Group_compare(MPI_GROUP_EMPTY, MPI_GROUP_EMPTY, &n);
	CHECK_INT(n, MPI_IDENT);
	MPI_Group_translate_ranks(world, 2, ranks, MPI_GROUP_EMPTY, to);
	CHECK_INT(to[0], MPI_UNDEFINED);
	CHECK_INT(to[1], MPI_PROC_NULL);
	MPI_Group_translate_ranks(world, 0, NULL, world, NULL);
	MPI_Comm_create(WORLD, MPI_GROUP_EMPTY, &comm);
	CHECK(comm == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
	MPI_Group gone, copy;

	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_group(WORLD, &world);
	MPI_Comm_group(MPI_COMM_SELF, &gone);
	copy = gone;
	bad_groups(MPI_GROUP_NULL);
	bad_ranks();
	MPI_Group_free(&gone);
	CHECK(gone == MPI_GROUP_NULL);
	bad_groups(copy);
	empty();
	MPI_Group_free(&world);
	return check_end("group_errors");
}
