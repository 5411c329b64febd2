// An exception that nobody catches in one rank: terminate prints its text, the job ends as killed by SIGABRT (134).
#include "check.h"

#include <stdexcept>

static void thrower(int n)
{
	if (n == 0)
		throw std::runtime_error("nobody catches this");
	thrower(n - 1);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	if (rank == size - 1)
		thrower(5);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
