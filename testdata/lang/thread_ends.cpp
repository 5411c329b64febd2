// Do threads of ranks end in every way: by returning, pthread_exit and cancellation, with destructors and clean-up; with small stacks; C11's?
// build: $CC -pthread thread_ends.cpp
#include "check.h"

#include <pthread.h>
#include <threads.h>
#include <unistd.h>

namespace {

int gone, cleaned;

struct Object {
	~Object() { gone++; }
};

void *for_ever(void *)
{
	Object o;
	for (;;)
		usleep(1000);
	return nullptr;
}

void *exits(void *)
{
	Object o;
	pthread_exit(reinterpret_cast<void *>(7));
}

void clean(void *) { cleaned++; }

void *cleans_up(void *)
{
	pthread_cleanup_push(clean, nullptr);
	for (;;)
		pause();
	pthread_cleanup_pop(0);
	return nullptr;
}

void *end(void *(*fn)(void *), bool cancel, pthread_attr_t *attr = nullptr)
{
	pthread_t t;
	void *result = nullptr;
	CHECK(!pthread_create(&t, attr, fn, nullptr));
	if (cancel)
		pthread_cancel(t);
	check_others_run();
	CHECK(!pthread_join(t, &result));
	return result;
}

void ways()
{
	CHECK(end(for_ever, true) == PTHREAD_CANCELED && gone == 1);
	CHECK(end(exits, false) == reinterpret_cast<void *>(7) && gone == 2);
	CHECK(end(cleans_up, true) == PTHREAD_CANCELED && cleaned == 1);
}

// Thread-local variables of all ranks' programs have room in every thread's stack, which must not be at the program's expense.
void small_stacks()
{
	alignas(64) static char own[40000];
	pthread_attr_t attr;
	pthread_attr_init(&attr);
	CHECK(!pthread_attr_setstacksize(&attr, PTHREAD_STACK_MIN));
	CHECK(end(exits, false, &attr) == reinterpret_cast<void *>(7));
	CHECK(!pthread_attr_setstack(&attr, own, sizeof own));
	CHECK(end(exits, false, &attr) == reinterpret_cast<void *>(7));
	pthread_attr_destroy(&attr);
}

tss_t key;

int c11(void *p)
{
	free(malloc(100));
	tss_set(key, p);
	return *static_cast<int *>(p) + 1;
}

void destroy(void *p) { gone = *static_cast<int *>(p); }

void of_c11()
{
	thrd_t t;
	mtx_t mutex;
	int result = -1, mine = 100 + rank;
	timespec little = {0, 1000};
	CHECK(tss_create(&key, destroy) == thrd_success && tss_set(key, &mine) == thrd_success);
	CHECK(mtx_init(&mutex, mtx_plain) == thrd_success && mtx_lock(&mutex) == thrd_success);
	CHECK(thrd_create(&t, c11, &rank) == thrd_success);
	check_others_run();
	CHECK(thrd_join(t, &result) == thrd_success && result == rank + 1 && gone == rank);
	CHECK(tss_get(key) == &mine && mtx_unlock(&mutex) == thrd_success && thrd_sleep(&little, nullptr) == 0);
	tss_delete(key);
}

} // namespace

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	ways();
	small_stacks();
	of_c11();
	return check_end("thread_ends");
}
