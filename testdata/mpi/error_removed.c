/* Can error strings, codes and classes be removed, in this order only? */
#include "check.h"

static void in_order(int class, int code)
{
	char text[MPI_MAX_ERROR_STRING];
	int length, got;

	CHECK_FAILS(MPI_Remove_error_class(class), MPI_ERR_ARG); /* it has a code */
	CHECK_FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG); /* it has a string */
	CHECK_INT(MPI_Error_string(code, text, &length), MPI_SUCCESS);
	CHECK(strcmp(text, "a code") == 0);
	CHECK_INT(MPI_Remove_error_string(code), MPI_SUCCESS);
	CHECK_FAILS(MPI_Remove_error_string(code), MPI_ERR_ARG);
	CHECK_INT(MPI_Error_string(code, text, &length), MPI_SUCCESS);
	CHECK_INT(length, 0);
	CHECK_INT(MPI_Remove_error_code(code), MPI_SUCCESS);
	CHECK_FAILS(MPI_Remove_error_code(code), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Remove_error_class(class), MPI_ERR_ARG); /* it has a string */
	CHECK_INT(MPI_Remove_error_string(class), MPI_SUCCESS);
	CHECK_INT(MPI_Remove_error_class(class), MPI_SUCCESS);
	CHECK_FAILS(MPI_Error_class(class, &got), MPI_ERR_ARG);
}

int main(int argc, char **argv)
{
	int class, code;

	check_begin(&argc, &argv);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Add_error_class(&class);
	MPI_Add_error_code(class, &code);
	MPI_Add_error_string(class, "a class");
	MPI_Add_error_string(code, "a code");
	in_order(class, code);
	CHECK_FAILS(MPI_Remove_error_class(MPI_ERR_OTHER), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Remove_error_code(MPI_ERR_OTHER), MPI_ERR_ARG);
	CHECK_FAILS(MPI_Remove_error_string(MPI_ERR_OTHER), MPI_ERR_ARG);
	return check_end("error_removed");
}
