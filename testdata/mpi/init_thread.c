/* Does Init_thread grant a lawful level that Query_thread repeats, and is this the main thread? */
#include "check.h"

int main(int argc, char **argv)
{
	int provided = -1, again = -2, flag = 0;

	(void)argc, (void)argv;
	MPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	CHECK(provided >= MPI_THREAD_SINGLE && provided <= MPI_THREAD_MULTIPLE);
	CHECK(MPI_THREAD_SINGLE < MPI_THREAD_FUNNELED && MPI_THREAD_FUNNELED < MPI_THREAD_SERIALIZED &&
	      MPI_THREAD_SERIALIZED < MPI_THREAD_MULTIPLE);
	MPI_Query_thread(&again);
	CHECK_INT(again, provided);
	MPI_Is_thread_main(&flag);
	CHECK(flag);
	return check_end("init_thread");
}
