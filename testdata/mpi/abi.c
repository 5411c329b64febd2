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
	expect(info, "mpi_real2_supported", "true");
	CHECK_FAILS(MPI_Abi_set_fortran_info(info), MPI_ERR_ABI);
	CHECK_FAILS(MPI_Abi_set_fortran_info(MPI_INFO_NULL), MPI_ERR_INFO);
	MPI_Info_free(&info);
}

/* What is not there has no size (section 20.4). */
static void sizes(void)
{
	static const struct { const char *key; MPI_Datatype type; int size; } types[] = {
		{"mpi_logical1_supported", MPI_LOGICAL1, 1}, {"mpi_logical2_supported", MPI_LOGICAL2, 2}, {"mpi_logical4_supported", MPI_LOGICAL4, 4},
		{"mpi_logical8_supported", MPI_LOGICAL8, 8}, {"mpi_logical16_supported", MPI_LOGICAL16, 16}, {"mpi_integer1_supported", MPI_INTEGER1, 1},
		{"mpi_integer2_supported", MPI_INTEGER2, 2}, {"mpi_integer4_supported", MPI_INTEGER4, 4}, {"mpi_integer8_supported", MPI_INTEGER8, 8},
		{"mpi_integer16_supported", MPI_INTEGER16, 16}, {"mpi_real2_supported", MPI_REAL2, 2}, {"mpi_real4_supported", MPI_REAL4, 4},
		{"mpi_real8_supported", MPI_REAL8, 8}, {"mpi_real16_supported", MPI_REAL16, 16}, {"mpi_complex4_supported", MPI_COMPLEX4, 4},
		{"mpi_complex8_supported", MPI_COMPLEX8, 8}, {"mpi_complex16_supported", MPI_COMPLEX16, 16}, {"mpi_complex32_supported", MPI_COMPLEX32, 32},
		{"mpi_double_complex_supported", MPI_DOUBLE_COMPLEX, 16}};
	char value[8];
	MPI_Info info;

	MPI_Abi_get_fortran_info(&info);
	for (int i = 0; i < LEN(types); i++) {
		int length = sizeof value, flag = 0, n;
		MPI_Info_get_string(info, types[i].key, &length, value, &flag);
		CHECK(flag);
		MPI_Type_size(types[i].type, &n);
		CHECK_INT(n, strcmp(value, "true") ? MPI_UNDEFINED : types[i].size);
	}
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
	sizes();
	booleans();
	return check_end("abi");
}
