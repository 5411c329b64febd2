/* Does Init_thread, called by a thread, make that one the main thread, give the level that was asked for, and serve SERIALIZED? */
#include "check.h"
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int value;

static int is_main(void)
{
	int flag;

	MPI_Is_thread_main(&flag);
	return flag;
}

static void *begin(void *arg)
{
	int provided, level;

	MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
	MPI_Query_thread(&level);
	CHECK(provided >= MPI_THREAD_SERIALIZED && level == provided);
	CHECK(is_main());
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	return arg;
}

static void *work(void *arg)
{
	CHECK(!is_main());
	for (int i = 0; i < 30; i++) {
		pthread_mutex_lock(&lock);
		MPI_Sendrecv(&rank, 1, MPI_INT, (rank + 1) % size, 3, &value, 1, MPI_INT, (rank + size - 1) % size, 3, WORLD, MPI_STATUS_IGNORE);
		pthread_mutex_unlock(&lock);
	}
	return arg;
}

int main(void)
{
	pthread_t first, threads[3];
	int flag;

	MPI_Initialized(&flag);
	CHECK(!flag);
	pthread_create(&first, NULL, begin, NULL);
	pthread_join(first, NULL);
	MPI_Initialized(&flag);
	CHECK(flag);
	for (int i = 0; i < LEN(threads); i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < LEN(threads); i++)
		pthread_join(threads[i], NULL);
	CHECK_INT(value, (rank + size - 1) % size);
	return check_end("threads_level");
}
