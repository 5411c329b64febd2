/* May the request of a non-blocking collective that is complete be freed in place of a wait? (The standard does not have it; other
 * implementations allow it.) */
#include "check.h"

static void complete(MPI_Request r)
{
	for (int flag = 0; !flag;)
		MPI_Request_get_status(r, &flag, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv)
{
	MPI_Request r;
	int sum = 0;

	check_begin(&argc, &argv);
	for (int i = 0; i < 1000; i++) {
		MPI_Iallreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, WORLD, &r);
		complete(r);
		CHECK_INT(MPI_Request_free(&r), MPI_SUCCESS);
		CHECK(r == MPI_REQUEST_NULL);
		CHECK_INT(sum, size * (size - 1) / 2);
	}
	return check_end("icoll_freed");
}
