/* Do communicators carry names: those of the predefined ones, set ones, cut ones? */
#include "check.h"

static void expect(MPI_Comm comm, const char *want)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length = -1;

	MPI_Comm_get_name(comm, name, &length);
	CHECK(strcmp(name, want) == 0);
	CHECK_INT(length, strlen(want));
}

int main(int argc, char **argv)
{
	MPI_Comm comm;
	char long_name[MPI_MAX_OBJECT_NAME];

	check_begin(&argc, &argv);
	expect(WORLD, "MPI_COMM_WORLD");
	expect(MPI_COMM_SELF, "MPI_COMM_SELF");
	MPI_Comm_dup(WORLD, &comm);
	expect(comm, "");
	MPI_Comm_set_name(comm, "a communicator");
	expect(comm, "a communicator");
	expect(WORLD, "MPI_COMM_WORLD");
	memset(long_name, 'x', sizeof long_name);
	long_name[sizeof long_name - 1] = 0;
	MPI_Comm_set_name(comm, long_name);
	expect(comm, long_name);
	MPI_Comm_set_name(comm, "");
	expect(comm, "");
	MPI_Comm_free(&comm);
	return check_end("comm_names");
}
