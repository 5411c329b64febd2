/* Do Info objects keep keys in order, replace, delete, duplicate and report missing keys? */
#include "check.h"

static void expect(MPI_Info info, const char *key, const char *want)
{
	char value[64] = "";
	int flag, length;

	MPI_Info_get(info, key, sizeof value - 1, value, &flag);
	CHECK_INT(flag, want != NULL);
	CHECK(!want || strcmp(value, want) == 0);
	MPI_Info_get_valuelen(info, key, &length, &flag);
	CHECK_INT(flag, want != NULL);
	CHECK(!want || length == (int)strlen(want));
}

int main(int argc, char **argv)
{
	MPI_Info info, dup;
	char key[MPI_MAX_INFO_KEY + 1];
	int n;

	check_begin(&argc, &argv);
	MPI_Info_create(&info);
	MPI_Info_get_nkeys(info, &n);
	CHECK_INT(n, 0);
	MPI_Info_set(info, "one", "1");
	MPI_Info_set(info, "two", "a longer value");
	MPI_Info_set(info, "three", "true");
	MPI_Info_get_nkeys(info, &n);
	CHECK_INT(n, 3);
	MPI_Info_get_nthkey(info, 1, key);
	CHECK(strcmp(key, "two") == 0);
	expect(info, "one", "1");
	expect(info, "four", NULL);
	MPI_Info_dup(info, &dup);
	MPI_Info_set(info, "one", "eins");
	MPI_Info_delete(info, "two");
	expect(info, "one", "eins");
	expect(info, "two", NULL);
	expect(dup, "one", "1");
	expect(dup, "two", "a longer value");
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	CHECK_FAILS(MPI_Info_delete(info, "two"), MPI_ERR_INFO_NOKEY);
	MPI_Info_free(&info);
	CHECK(info == MPI_INFO_NULL);
	MPI_Info_free(&dup);
	return check_end("info");
}
