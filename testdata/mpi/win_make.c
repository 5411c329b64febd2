/* Are windows of all flavors made, described by attributes, group, name, hints and conversions, and freed? */
#include "check.h"

static int deleted, copied;

static int on_delete(MPI_Win win, int key, void *value, void *extra)
{
	CHECK(value == &deleted && extra == &copied);
	CHECK(win != MPI_WIN_NULL && key != MPI_KEYVAL_INVALID);
	deleted++;
	return MPI_SUCCESS;
}

static void attributes(MPI_Win win, void *base, MPI_Aint bytes, int unit, int flavor)
{
	void *value;
	int flag, key;

	MPI_Win_get_attr(win, MPI_WIN_BASE, &value, &flag);
	CHECK(flag && value == base);
	MPI_Win_get_attr(win, MPI_WIN_SIZE, &value, &flag);
	CHECK(flag && *(MPI_Aint *)value == bytes);
	MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, &value, &flag);
	CHECK(flag);
	if (flavor != MPI_WIN_FLAVOR_DYNAMIC)
		CHECK_INT(*(int *)value, unit);
	MPI_Win_get_attr(win, MPI_WIN_CREATE_FLAVOR, &value, &flag);
	CHECK(flag && *(int *)value == flavor);
	MPI_Win_get_attr(win, MPI_WIN_MODEL, &value, &flag);
	CHECK(flag && *(int *)value == MPI_WIN_UNIFIED);

	deleted = 0;
	MPI_Win_create_keyval(MPI_WIN_NULL_COPY_FN, on_delete, &key, &copied);
	MPI_Win_get_attr(win, key, &value, &flag);
	CHECK(!flag);
	MPI_Win_set_attr(win, key, &deleted);
	MPI_Win_get_attr(win, key, &value, &flag);
	CHECK(flag && value == &deleted);
	MPI_Win_delete_attr(win, key);
	CHECK_INT(deleted, 1);
	MPI_Win_set_attr(win, key, &deleted);
	MPI_Win_free_keyval(&key);
	CHECK(key == MPI_KEYVAL_INVALID);
}

static void names(MPI_Win win)
{
	char name[MPI_MAX_OBJECT_NAME] = "x";
	int n = -1;

	MPI_Win_get_name(win, name, &n);
	CHECK(n == 0 && !*name);
	MPI_Win_set_name(win, "halo");
	MPI_Win_get_name(win, name, &n);
	CHECK(n == 4 && !strcmp(name, "halo"));
}

static void groups(MPI_Win win, MPI_Comm comm)
{
	MPI_Group of_win, of_comm;
	int result;

	MPI_Win_get_group(win, &of_win);
	MPI_Comm_group(comm, &of_comm);
	MPI_Group_compare(of_win, of_comm, &result);
	CHECK_INT(result, MPI_IDENT);
	MPI_Group_free(&of_win);
	MPI_Group_free(&of_comm);
}

static void hints(MPI_Win win)
{
	MPI_Info info, used;
	char value[MPI_MAX_INFO_VAL + 1] = "";
	int flag;

	MPI_Info_create(&info);
	MPI_Info_set(info, "accumulate_ordering", "none");
	MPI_Info_set(info, "nobody_knows", "this");
	MPI_Win_set_info(win, info);
	MPI_Info_free(&info);
	MPI_Win_get_info(win, &used);
	MPI_Info_get(used, "nobody_knows", 20, value, &flag);
	CHECK(!flag);
	MPI_Info_get(used, "accumulate_ordering", MPI_MAX_INFO_VAL, value, &flag);
	CHECK(flag && *value);
	MPI_Info_get(used, "no_locks", MPI_MAX_INFO_VAL, value, &flag);
	CHECK(flag && !strcmp(value, "false"));
	MPI_Info_free(&used);
}

/* What all flavors have. */
static void look(MPI_Win *win, MPI_Comm comm, void *base, MPI_Aint bytes, int unit, int flavor)
{
	CHECK(MPI_Win_f2c(MPI_Win_c2f(*win)) == *win);
	attributes(*win, base, bytes, unit, flavor);
	names(*win);
	groups(*win, comm);
	hints(*win);
	MPI_Win_free(win);
	CHECK(*win == MPI_WIN_NULL);
	CHECK_INT(deleted, 2);
}

int main(int argc, char **argv)
{
	static double memory[10];
	char *base = NULL, name[MPI_MAX_OBJECT_NAME];
	int n;
	MPI_Comm reversed;
	MPI_Win win, two;

	check_begin(&argc, &argv);
	MPI_Comm_split(WORLD, 0, -rank, &reversed);
	MPI_Win_create(memory, sizeof memory, sizeof *memory, MPI_INFO_NULL, WORLD, &win);
	MPI_Win_create(rank ? memory : NULL, rank ? 8 : 0, 1 + rank, MPI_INFO_NULL, reversed, &two);
	look(&win, WORLD, memory, sizeof memory, sizeof *memory, MPI_WIN_FLAVOR_CREATE);
	look(&two, reversed, rank ? memory : NULL, rank ? 8 : 0, 1 + rank, MPI_WIN_FLAVOR_CREATE);
	MPI_Win_allocate(100 + rank, 2, MPI_INFO_NULL, WORLD, &base, &win);
	memset(base, 1, 100 + rank);
	look(&win, WORLD, base, 100 + rank, 2, MPI_WIN_FLAVOR_ALLOCATE);
	MPI_Win_allocate_shared(64 * (rank + 1), 4, MPI_INFO_NULL, WORLD, &base, &win);
	memset(base, 1, 64 * (rank + 1));
	look(&win, WORLD, base, 64 * (rank + 1), 4, MPI_WIN_FLAVOR_SHARED);
	MPI_Win_create_dynamic(MPI_INFO_NULL, reversed, &win);
	look(&win, reversed, MPI_BOTTOM, 0, 1, MPI_WIN_FLAVOR_DYNAMIC);
	if (rank == 0) {
		MPI_Win_create(memory, 8, 1, MPI_INFO_NULL, MPI_COMM_SELF, &win);
		MPI_Win_free(&win);
	}
	for (int i = 0; i < 100; i++) {
		MPI_Win_allocate(1 << (i % 16), 1, MPI_INFO_NULL, WORLD, &base, &win);
		MPI_Win_free(&win);
	}
	MPI_Comm_free(&reversed);
	MPI_Win_get_name(MPI_WIN_NULL, name, &n);
	CHECK(!strcmp(name, "MPI_WIN_NULL") && n == 12);
	return check_end("win_make");
}
