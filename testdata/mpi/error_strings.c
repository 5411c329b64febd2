/* Have all error classes a string, are user classes, codes and strings kept, and is the last used code known? */
#include "check.h"

static const int classes[] = {MPI_ERR_BUFFER, MPI_ERR_COUNT, MPI_ERR_TYPE, MPI_ERR_TAG, MPI_ERR_COMM, MPI_ERR_RANK,
	MPI_ERR_REQUEST, MPI_ERR_ROOT, MPI_ERR_GROUP, MPI_ERR_OP, MPI_ERR_TOPOLOGY, MPI_ERR_DIMS, MPI_ERR_ARG,
	MPI_ERR_UNKNOWN, MPI_ERR_TRUNCATE, MPI_ERR_OTHER, MPI_ERR_INTERN, MPI_ERR_IN_STATUS, MPI_ERR_PENDING,
	MPI_ERR_ACCESS, MPI_ERR_AMODE, MPI_ERR_ASSERT, MPI_ERR_BAD_FILE, MPI_ERR_BASE, MPI_ERR_DISP, MPI_ERR_FILE,
	MPI_ERR_INFO, MPI_ERR_INFO_KEY, MPI_ERR_INFO_NOKEY, MPI_ERR_INFO_VALUE, MPI_ERR_IO, MPI_ERR_KEYVAL,
	MPI_ERR_LOCKTYPE, MPI_ERR_NAME, MPI_ERR_NO_MEM, MPI_ERR_NO_SPACE, MPI_ERR_NO_SUCH_FILE, MPI_ERR_PORT,
	MPI_ERR_QUOTA, MPI_ERR_READ_ONLY, MPI_ERR_SERVICE, MPI_ERR_SIZE, MPI_ERR_SPAWN, MPI_ERR_UNSUPPORTED_OPERATION,
	MPI_ERR_WIN};

static void standard_classes(void)
{
	char text[MPI_MAX_ERROR_STRING];
	int length, class;

	for (int i = 0; i < LEN(classes); i++) {
		length = -1;
		CHECK(MPI_Error_string(classes[i], text, &length) == MPI_SUCCESS);
		CHECK(length > 0 && length < MPI_MAX_ERROR_STRING && (int)strlen(text) == length);
		MPI_Error_class(classes[i], &class);
		CHECK_INT(class, classes[i]);
		CHECK(classes[i] > MPI_SUCCESS && classes[i] <= MPI_ERR_LASTCODE);
		for (int j = 0; j < i; j++)
			CHECK(classes[i] != classes[j]);
	}
	MPI_Error_string(MPI_SUCCESS, text, &length);
	CHECK(length > 0);
}

static void added(void)
{
	int class, code, got, *last, flag, length;
	char text[MPI_MAX_ERROR_STRING];

	MPI_Add_error_class(&class);
	CHECK(class > MPI_ERR_LASTCODE);
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(class, "a class of our own");
	MPI_Add_error_string(code, "a code of our own");
	MPI_Error_class(code, &got);
	CHECK_INT(got, class);
	MPI_Error_string(code, text, &length);
	CHECK(strcmp(text, "a code of our own") == 0);
	MPI_Error_string(class, text, &length);
	CHECK(strcmp(text, "a class of our own") == 0);
	MPI_Comm_get_attr(WORLD, MPI_LASTUSEDCODE, &last, &flag);
	CHECK(flag && *last >= class);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	standard_classes();
	added();
	return check_end("error_strings");
}
