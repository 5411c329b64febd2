/* Does an MPI call of a thread that a rank has started end the job with a line that names call and thread level? */
// build: $CC -pthread thread_calls_mpi.c
#include <mpi.h>
#include <pthread.h>

static void *work(void *arg)
{
	MPI_Send(arg, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int provided, value = 1;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
	pthread_create(&thread, NULL, work, &value);
	pthread_join(thread, NULL);
	MPI_Finalize();
	return 0;
}
