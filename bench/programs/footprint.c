/* footprint: what a worker with all its ranks takes of memory: its proportional set size, in KiB, when every rank has met every other
 * one. It has no variables that ranks could mind sharing, so that it runs under every method. */
#include <mpi.h>
#include <string.h>

#include "sample.h"

static double proportional(void)
{
	FILE *f = fopen("/proc/self/smaps_rollup", "r");
	char line[256];
	double kib = 0;
	sample_require(f != NULL, "/proc/self/smaps_rollup cannot be read");
	while (fgets(line, sizeof line, f))
		if (!strncmp(line, "Pss:", 4))
			kib = strtod(line + 4, NULL);
	fclose(f);
	return kib;
}

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Barrier(MPI_COMM_WORLD);
	if (!rank)
		sample_print("memory", proportional() / size);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
