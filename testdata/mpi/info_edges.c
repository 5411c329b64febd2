/* Do Info objects keep to the standard at the edges: lengths, order, copies, thousands of them, MPI_INFO_ENV, before Init and after Finalize? */
#include "check.h"

static char key[MPI_MAX_INFO_KEY + 8], value[MPI_MAX_INFO_VAL + 8], got[MPI_MAX_INFO_VAL + 8];

static void fill(char *to, int n, char c)
{
	memset(to, c, n);
	to[n] = 0;
}

static void limits(void)
{
	MPI_Info info;
	int n, flag;

	MPI_Info_create(&info);
	fill(key, MPI_MAX_INFO_KEY - 1, 'k');
	fill(value, MPI_MAX_INFO_VAL - 1, 'v');
	CHECK(MPI_Info_set(info, key, value) == MPI_SUCCESS);
	MPI_Info_get_valuelen(info, key, &n, &flag);
	CHECK(flag && n == MPI_MAX_INFO_VAL - 1);
	MPI_Info_get(info, key, MPI_MAX_INFO_VAL, got, &flag);
	CHECK(flag && strcmp(got, value) == 0);
	MPI_Info_get_nthkey(info, 0, got);
	CHECK(strcmp(got, key) == 0);
	CHECK_FAILS(MPI_Info_set(info, "", "v"), MPI_ERR_INFO_KEY);
	fill(key, MPI_MAX_INFO_KEY + 1, 'k');
	CHECK_FAILS(MPI_Info_set(info, key, "v"), MPI_ERR_INFO_KEY);
	fill(value, MPI_MAX_INFO_VAL + 1, 'v');
	CHECK_FAILS(MPI_Info_set(info, "key", value), MPI_ERR_INFO_VALUE);
	CHECK_FAILS(MPI_Info_get_nthkey(info, 1, got), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Info_get_nthkey(info, -1, got), MPI_ERR_ARG);
	MPI_Info_free(&info);
}

/* Keys stay in order while others go, and may be set again. */
static void order(void)
{
	MPI_Info info, copy;
	char text[16];
	int n, flag;

	MPI_Info_create(&info);
	for (int i = 0; i < 100; i++) {
		snprintf(text, sizeof text, "key%d", i);
		MPI_Info_set(info, text, text + 3);
	}
	for (int i = 0; i < 100; i += 2) {
		snprintf(text, sizeof text, "key%d", i);
		MPI_Info_delete(info, text);
	}
	MPI_Info_dup(info, &copy);
	MPI_Info_free(&info);
	MPI_Info_get_nkeys(copy, &n);
	CHECK_INT(n, 50);
	for (int i = 0; i < n; i++) {
		MPI_Info_get_nthkey(copy, i, key);
		snprintf(text, sizeof text, "key%d", 2 * i + 1);
		CHECK(strcmp(key, text) == 0);
		MPI_Info_get(copy, key, sizeof got - 1, got, &flag);
		CHECK(flag && strcmp(got, text + 3) == 0);
	}
	MPI_Info_free(&copy);
}

static void many(void)
{
	enum { N = 1000 };
	static MPI_Info all[N];

	for (int i = 0; i < N; i++) {
		char text[16];
		snprintf(text, sizeof text, "%d", i);
		MPI_Info_create(&all[i]);
		MPI_Info_set(all[i], "number", text);
	}
	for (int i = 0; i < N; i++) {
		int flag;
		MPI_Info_get(all[i], "number", sizeof got - 1, got, &flag);
		CHECK(flag && atoi(got) == i);
		for (int j = 0; j < i; j += 111)
			CHECK(all[i] != all[j]);
	}
	for (int i = 0; i < N; i++)
		MPI_Info_free(&all[i]);
}

static void environment(void)
{
	int flag, n;
	MPI_Info copy;

	MPI_Info_get(MPI_INFO_ENV, "maxprocs", sizeof got - 1, got, &flag);
	CHECK(!flag || atoi(got) >= size);
	MPI_Info_get(MPI_INFO_ENV, "no such key", sizeof got - 1, got, &flag);
	CHECK(!flag);
	CHECK(MPI_Info_dup(MPI_INFO_ENV, &copy) == MPI_SUCCESS);
	CHECK(MPI_Info_get_nkeys(copy, &n) == MPI_SUCCESS);
	MPI_Info_free(&copy);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	limits();
	order();
	many();
	environment();
	return check_end("info_edges");
}
