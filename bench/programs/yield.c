/* yield YIELDS BATCHES: every rank gives way to the others in turn; time of one switch, as CPU time of the one PE that all
 * ranks must share. */
#include <mpi.h>
#include <sched.h>

#include "sample.h"

int main(int argc, char **argv)
{
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	long yields = sample_argument(argc, argv, 1, 1000), batches = sample_argument(argc, argv, 2, 10);
	for (long batch = -1; batch < batches; batch++) {
		MPI_Barrier(MPI_COMM_WORLD);
		double start = sample_clock(CLOCK_THREAD_CPUTIME_ID);
		for (long i = 0; i < yields; i++)
			sched_yield();
		if (rank == 0 && batch >= 0)
			sample_print("switch", (sample_clock(CLOCK_THREAD_CPUTIME_ID) - start) / yields / size);
	}
	MPI_Finalize();
	return 0;
}
