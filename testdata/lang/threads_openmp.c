/* Do all threads of OpenMP's parallel regions call MPI while the first one waits for them in the regions' barriers? */
// build: $CC -fopenmp threads_openmp.c
#include <mpi.h>
#include <omp.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	int provided, rank, size, bad = 0;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	for (int round = 0; round < 10; round++) {
#pragma omp parallel num_threads(4) reduction(+ : bad)
		for (int i = 0; i < 5; i++) {
			int me = omp_get_thread_num(), left = (rank + size - 1) % size, out = 10 * rank + me, in = -1;
			MPI_Sendrecv(&out, 1, MPI_INT, (rank + 1) % size, me, &in, 1, MPI_INT, left, me, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			bad += in != 10 * left + me;
#pragma omp barrier
		}
	}
	MPI_Allreduce(MPI_IN_PLACE, &bad, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%s threads_openmp\n", bad ? "FAIL" : "PASS");
	MPI_Finalize();
	return 0;
}
