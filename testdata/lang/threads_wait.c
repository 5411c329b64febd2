/* May the first thread of a rank wait for another one in any way, while the other one waits for another rank, and not by MPI? */
// build: $CC -pthread threads_wait.c
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int state, job;

static void file_name(char *name, size_t n, int of, int round)
{
	snprintf(name, n, "/tmp/threads_wait.%d.%d.%d", job, of, round);
}

static void create(int of, int round)
{
	char name[100];
	file_name(name, sizeof name, of, round);
	close(open(name, O_CREAT | O_WRONLY, 0600));
}

/* Looks for a file that another rank makes. */
static void *look(void *round)
{
	char name[100];
	file_name(name, sizeof name, rank, *(int *)round);
	while (access(name, F_OK))
		usleep(500);
	unlink(name);
	pthread_mutex_lock(&lock);
	state = 1;
	pthread_cond_signal(&changed);
	pthread_mutex_unlock(&lock);
	if (*(int *)round == 1)
		pthread_barrier_wait(&barrier);
	if (*(int *)round == 2)
		sem_post(&semaphore);
	return NULL;
}

static void wait_for(int round)
{
	struct timespec until;
	if (round == 1)
		pthread_barrier_wait(&barrier);
	if (round == 2)
		while (sem_wait(&semaphore) && errno == EINTR)
			;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 100;
	pthread_mutex_lock(&lock);
	while (!state)
		CHECK(!pthread_cond_timedwait(&changed, &lock, &until));
	state = 0;
	pthread_mutex_unlock(&lock);
}

int main(int argc, char **argv)
{
	pthread_t t;

	check_begin(&argc, &argv);
	job = (int)getpid();
	MPI_Bcast(&job, 1, MPI_INT, 0, MPI_COMM_WORLD);
	pthread_barrier_init(&barrier, NULL, 2);
	sem_init(&semaphore, 0, 0);
	for (int round = 0; round < 3; round++) {
		MPI_Barrier(MPI_COMM_WORLD);
		CHECK(!pthread_create(&t, NULL, look, &round));
		if (rank == size - 1) /* a chain from the last rank to the first */
			create(rank, round);
		wait_for(round);
		if (rank > 0)
			create(rank - 1, round);
		CHECK(!pthread_join(t, NULL));
	}
	return check_end("threads_wait");
}
