/* Do the calls of MPI 5.0 that tell of the ABI say what this machine and gfortran have? */
#include "check.h"

static void expect(MPI_Info info, const char *key, const char *want)
{
	char value[16];
	int room = sizeof value, flag;

	MPI_Info_get_string(info, key, &room, value, &flag);
	CHECK(flag && strcmp(value, want) == 0);
}

static void infos(void)
{
	MPI_Info info;

	MPI_Abi_get_info(&info);
	expect(info, "mpi_aint_size", "8");
	expect(info, "mpi_count_size", "8");
	expect(info, "mpi_offset_size", "8");
	MPI_Info_free(&info);
	MPI_Abi_get_fortran_info(&info);
	CHECK(info != MPI_INFO_NULL);
	expect(info, "mpi_logical_size", "4");
	expect(info, "mpi_integer_size", "4");
	expect(info, "mpi_real_size", "4");
	expect(info, "mpi_double_precision_size", "8");
	expect(info, "mpi_integer8_supported", "true");
	expect(info, "mpi_real2_supported", "false");
	CHECK_FAILS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
	CHECK_FAILS(MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO);
	MPI_Info_free(&info);
}

static void booleans(void)
{
	static const char one[16] = {1}, zero[16];

	for (int n = 1; n <= 16; n *= 2) {
		char yes[17], no[17];
		int is_set = -1;

		memset(yes, 7, sizeof yes);
		memset(no, 7, sizeof no);
		CHECK(MPI_Abi_get_fortran_booleans(n, yes, no, &is_set) == MPI_SUCCESS);
		CHECK(is_set && !memcmp(yes, one, n) && !memcmp(no, zero, n) && yes[n] == 7 && no[n] == 7);
		CHECK_FAILS(MPI_Abi_set_fortran_booleans(n, yes, no), MPI_ERR_ABI);
	}
	CHECK_FAILS(MPI_Abi_set_fortran_booleans(3, (void *)one, (void *)zero), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	int major = -1, minor = -1, version, subversion;

	MPI_Abi_get_version(&major, &minor); /* at any time */
	check_begin(&argc, &argv);
	CHECK(major == MPI_ABI_VERSION && minor == MPI_ABI_SUBVERSION);
	MPI_Get_version(&version, &subversion);
	CHECK(version == 5 && subversion == 0);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	infos();
	booleans();
	return check_end("abi");
}
