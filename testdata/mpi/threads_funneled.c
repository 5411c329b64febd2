/* Are threads told apart: may they ask and compute, and does a call that the thread level does not allow them fail without harm? */
#include "check.h"
#include <pthread.h>

static int provided, main_flag = -1, level = -1, initialized, error = MPI_SUCCESS, recv_error, type_error;
static double sum;

static void *work(void *arg)
{
	double start = MPI_Wtime();
	MPI_Datatype type;

	MPI_Initialized(&initialized);
	MPI_Is_thread_main(&main_flag);
	MPI_Query_thread(&level);
	for (int i = 0; i < 100000; i++)
		sum += i * 0.5;
	if (provided <= MPI_THREAD_FUNNELED) {
		error = MPI_Send(arg, 1, MPI_INT, 0, 0, MPI_COMM_SELF);
		recv_error = MPI_Recv(arg, 1, MPI_INT, 0, 0, MPI_COMM_SELF, MPI_STATUS_IGNORE);
		type_error = MPI_Type_contiguous(3, MPI_INT, &type);
	}
	return MPI_Wtime() >= start ? arg : NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[3];
	int value = 7;
	void *back;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	for (int i = 0; i < LEN(threads); i++) {
		pthread_create(&threads[i], NULL, work, &value);
		pthread_join(threads[i], &back);
		CHECK(back == &value && initialized && !main_flag && level == provided);
	}
	MPI_Is_thread_main(&main_flag);
	CHECK(main_flag && sum > 0);
	if (provided <= MPI_THREAD_FUNNELED) {
		CHECK_FAILS(error, MPI_ERR_OTHER);
		CHECK_FAILS(recv_error, MPI_ERR_OTHER);
		CHECK_FAILS(type_error, MPI_ERR_OTHER);
	}
	MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 1, &level, 1, MPI_INT, (rank + size - 1) % size, 1, WORLD, MPI_STATUS_IGNORE);
	CHECK_INT(level, 7);
	return check_end("threads_funneled");
}
