/* Has each rank its own current directory? */
#include "check.h"
#include <sys/stat.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char base[] = "/tmp/directory.XXXXXX", mine[64], now[64];
	int length = sizeof base;

	check_begin(&argc, &argv);
	if (rank == 0)
		CHECK(mkdtemp(base) != NULL);
	MPI_Bcast(base, length, MPI_CHAR, 0, MPI_COMM_WORLD);
	snprintf(mine, sizeof mine, "%s/%d", base, rank);
	CHECK(mkdir(mine, 0777) == 0 && chdir(mine) == 0);
	check_others_run();
	CHECK(getcwd(now, sizeof now) && strcmp(now, mine) == 0);
	check_others_run();
	chdir("/");
	rmdir(mine);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		rmdir(base);
	return check_end("directory");
}
