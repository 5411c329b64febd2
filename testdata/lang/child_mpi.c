/* A child of a rank that calls MPI: that is refused by name, the child ends with an error, and the rank goes on. */
#include "check.h"
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = -1;

	check_begin(&argc, &argv);
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		int initialized = 0, number = -1;
		MPI_Initialized(&initialized); /* every process may ask that */
		MPI_Comm_rank(MPI_COMM_WORLD, &number);
		_exit(0);
	}
	CHECK(child > 0 && waitpid(child, &status, 0) == child);
	CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 1);
	check_others_run();
	return check_end("child_mpi");
}
