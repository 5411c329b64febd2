/* Are hints of communicators kept where they are known, ignored where they are not, merged by set_info, and not inherited; and do
 * they guide splits by type? */
#include "check.h"

static const char *value_of(MPI_Comm comm, const char *key)
{
	static char value[MPI_MAX_INFO_VAL + 1];
	MPI_Info info;
	int flag, length = sizeof value;

	MPI_Comm_get_info(comm, &info);
	MPI_Info_get_string(info, key, &length, value, &flag);
	MPI_Info_free(&info);
	return flag ? value : "";
}

static MPI_Info info_of(const char *key, const char *value)
{
	MPI_Info info;

	MPI_Info_create(&info);
	MPI_Info_set(info, key, value);
	return info;
}

static void set(MPI_Comm comm, const char *key, const char *value)
{
	MPI_Info info = info_of(key, value);

	MPI_Comm_set_info(comm, info);
	MPI_Info_free(&info);
}

static void known(void)
{
	static const char *const keys[] = {
		"mpi_assert_no_any_tag", "mpi_assert_no_any_source", "mpi_assert_exact_length", "mpi_assert_allow_overtaking"};
	MPI_Comm comm;

	MPI_Comm_dup(WORLD, &comm);
	for (int i = 0; i < LEN(keys); i++) {
		CHECK(!strcmp(value_of(comm, keys[i]), "false"));
		set(comm, keys[i], "true");
		CHECK(!strcmp(value_of(comm, keys[i]), "true"));
	}
	set(comm, keys[1], "false");
	CHECK(!strcmp(value_of(comm, keys[0]), "true"));
	CHECK(!strcmp(value_of(comm, keys[1]), "false"));
	CHECK(!strcmp(value_of(WORLD, keys[0]), "false"));
	MPI_Comm_free(&comm);
}

static void ignored(void)
{
	MPI_Comm comm;
	MPI_Info info;

	MPI_Comm_dup(WORLD, &comm);
	set(comm, "no_such_hint_anywhere", "true");
	CHECK(!strcmp(value_of(comm, "no_such_hint_anywhere"), ""));
	set(comm, "mpi_assert_no_any_tag", "perhaps");
	CHECK(!strcmp(value_of(comm, "mpi_assert_no_any_tag"), "false"));
	MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN);
	CHECK_FAILS(MPI_Comm_set_info(comm, MPI_INFO_NULL), MPI_ERR_INFO);
	MPI_Comm_get_info(comm, &info);
	CHECK(info != MPI_INFO_NULL);
	MPI_Info_free(&info);
	MPI_Comm_free(&comm);
}

/* MPI 4.0 and later: a duplicate has the hints that it is given, and no others. */
static void inherited(void)
{
	MPI_Comm comm, dup;
	MPI_Info info = info_of("mpi_assert_exact_length", "true");

	MPI_Comm_dup_with_info(WORLD, info, &comm);
	CHECK(!strcmp(value_of(comm, "mpi_assert_exact_length"), "true"));
	MPI_Info_free(&info);
	CHECK(!strcmp(value_of(comm, "mpi_assert_exact_length"), "true"));
	MPI_Comm_dup(comm, &dup);
	CHECK(!strcmp(value_of(dup, "mpi_assert_exact_length"), "false"));
	MPI_Comm_free(&dup);
	MPI_Comm_dup_with_info(comm, MPI_INFO_NULL, &dup);
	CHECK(!strcmp(value_of(dup, "mpi_assert_exact_length"), "false"));
	MPI_Comm_free(&dup);
	MPI_Comm_free(&comm);
}

static int split_size(int type, MPI_Info info)
{
	MPI_Comm comm;
	int n = 0;

	MPI_Comm_split_type(WORLD, type, 0, info, &comm);
	if (comm != MPI_COMM_NULL) {
		MPI_Comm_size(comm, &n);
		MPI_Comm_free(&comm);
	}
	return n;
}

static void guided(void)
{
	MPI_Info node = info_of("mpi_hw_resource_type", "mpi_shared_memory"), other = info_of("mpi_hw_resource_type", "nothing://here");
	MPI_Info self = info_of("mpi_pset_name", "mpi://SELF"), world = info_of("mpi_pset_name", "mpi://WORLD"), hw;
	int shared = split_size(MPI_COMM_TYPE_SHARED, MPI_INFO_NULL), n;

	CHECK_INT(split_size(MPI_COMM_TYPE_HW_GUIDED, node), shared);
	CHECK_INT(split_size(MPI_COMM_TYPE_HW_GUIDED, other), 0);
	CHECK_INT(split_size(MPI_COMM_TYPE_HW_GUIDED, MPI_INFO_NULL), 0);
	CHECK_INT(split_size(MPI_COMM_TYPE_RESOURCE_GUIDED, node), shared);
	CHECK_INT(split_size(MPI_COMM_TYPE_RESOURCE_GUIDED, MPI_INFO_NULL), 0);
	CHECK_INT(split_size(MPI_COMM_TYPE_RESOURCE_GUIDED, self), 1);
	CHECK_INT(split_size(MPI_COMM_TYPE_RESOURCE_GUIDED, world), size);
	CHECK(split_size(MPI_COMM_TYPE_HW_UNGUIDED, MPI_INFO_NULL) < size || size == 1);
	MPI_Get_hw_resource_info(&hw);
	MPI_Info_get_nkeys(hw, &n);
	CHECK(n >= 0);
	MPI_Info_free(&hw);
	MPI_Info_free(&node);
	MPI_Info_free(&other);
	MPI_Info_free(&self);
	MPI_Info_free(&world);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	known();
	ignored();
	inherited();
	guided();
	return check_end("comm_info");
}
