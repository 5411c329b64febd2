/* Do Init with null arguments, a second Init and wrong levels do what they should, and name themselves? */
#include "check.h"

static void second(void)
{
	int provided;
	char text[MPI_MAX_ERROR_STRING];
	int length, code = MPI_Init(NULL, NULL);

	CHECK_FAILS(code, MPI_ERR_OTHER);
	MPI_Error_string(code, text, &length);
	CHECK(length > 0);
	CHECK_FAILS(MPI_Init_thread(NULL, NULL, MPI_THREAD_SINGLE, &provided), MPI_ERR_OTHER);
}

int main(int argc, char **argv)
{
	int provided = -1, level = -1, flag = -1;

	(void)argc, (void)argv;
	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	MPI_Query_thread(&level);
	MPI_Is_thread_main(&flag);
	CHECK(level == provided && provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE && flag);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	second();
	return check_end("init_errors");
}
