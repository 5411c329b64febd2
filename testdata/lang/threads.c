/* Do POSIX threads of a rank see its globals, have their own thread-local variables, and join? */
// build: $CC -pthread threads.c
#include "check.h"
#include <errno.h>
#include <pthread.h>

#define THREADS 3

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;
static int sum, destroyed;
static __thread int own = 9;

static void destroy(void *value)
{
	(void)value;
	pthread_mutex_lock(&lock);
	destroyed++;
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg)
{
	char text[32];

	CHECK(own == 9);
	own = *(int *)arg;
	errno = own;
	pthread_setspecific(key, &own);
	for (int i = 0; i < 1000; i++) {
		free(malloc((size_t)(i % 300)));
		pthread_mutex_lock(&lock);
		sum++;
		pthread_mutex_unlock(&lock);
	}
	snprintf(text, sizeof text, "%d", own);
	CHECK(atoi(text) == *(int *)arg && errno == own);
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[THREADS];
	int args[THREADS];
	void *back;

	check_begin(&argc, &argv);
	own = -1 - rank;
	pthread_key_create(&key, destroy);
	for (int i = 0; i < THREADS; i++) {
		args[i] = 100 * rank + i + 1;
		CHECK(pthread_create(&threads[i], NULL, work, &args[i]) == 0);
	}
	check_others_run();
	for (int i = 0; i < THREADS; i++) {
		CHECK(pthread_join(threads[i], &back) == 0);
		CHECK(back == &args[i]);
	}
	CHECK(sum == THREADS * 1000 && destroyed == THREADS && own == -1 - rank);
	return check_end("threads");
}
