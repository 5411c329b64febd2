/* May the first thread wait for others by a barrier, a condition, a mutex, a semaphore, a lock or by looking again and again while those are in MPI calls? */
#include "check.h"
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>

#define THREADS 4
#define ROUNDS 20

static pthread_barrier_t barrier;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static sem_t semaphore;
static int arrived, looked, lefts;

static void exchange(MPI_Comm comm, int tag)
{
	int n, me, value = -1;

	MPI_Comm_rank(comm, &me);
	MPI_Comm_size(comm, &n);
	MPI_Sendrecv(&me, 1, MPI_INT, (me + 1) % n, tag, &value, 1, MPI_INT, (me + n - 1) % n, tag, comm, MPI_STATUS_IGNORE);
	CHECK_INT(value, (me + n - 1) % n);
}

static void *work(void *arg)
{
	int me = (int)(long)arg;

	for (int round = 0; round < ROUNDS; round++) {
		exchange(WORLD, me);
		pthread_barrier_wait(&barrier);
		exchange(WORLD, me);
		pthread_mutex_lock(&mutex);
		exchange(MPI_COMM_SELF, me);
		arrived++;
		pthread_cond_signal(&cond);
		pthread_mutex_unlock(&mutex);
		exchange(WORLD, me);
		sem_post(&semaphore);
		pthread_rwlock_rdlock(&rwlock);
		exchange(MPI_COMM_SELF, me);
		pthread_rwlock_unlock(&rwlock);
		pthread_spin_lock(&spin);
		exchange(MPI_COMM_SELF, me);
		looked++;
		pthread_spin_unlock(&spin);
		exchange(WORLD, me);
		__atomic_add_fetch(&lefts, 1, __ATOMIC_SEQ_CST);
	}
	return arg;
}

static int is_looked(int want)
{
	pthread_spin_lock(&spin);
	int got = looked;
	pthread_spin_unlock(&spin);
	return got >= want;
}

static void wait_for_all(int round)
{
	pthread_barrier_wait(&barrier);
	pthread_mutex_lock(&mutex);
	while (arrived < THREADS * round)
		pthread_cond_wait(&cond, &mutex);
	pthread_mutex_unlock(&mutex);
	for (int i = 0; i < THREADS; i++)
		CHECK(!sem_wait(&semaphore));
	pthread_rwlock_wrlock(&rwlock);
	pthread_rwlock_unlock(&rwlock);
	while (!is_looked(THREADS * round))
		;
	while (__atomic_load_n(&lefts, __ATOMIC_SEQ_CST) < THREADS * round)
		sched_yield();
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int provided;

	MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
	MPI_Comm_rank(WORLD, &rank);
	MPI_Comm_size(WORLD, &size);
	CHECK_INT(provided, MPI_THREAD_MULTIPLE);
	pthread_barrier_init(&barrier, NULL, THREADS + 1);
	pthread_spin_init(&spin, 0);
	sem_init(&semaphore, 0, 0);
	for (long i = 0; i < THREADS; i++)
		CHECK(!pthread_create(&threads[i], NULL, work, (void *)i));
	for (int round = 1; round <= ROUNDS; round++)
		wait_for_all(round);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	return check_end("threads_sync");
}
