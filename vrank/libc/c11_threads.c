/* Threads of C11, which the C library makes of POSIX threads inside itself. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <threads.h>

#include "vrank/libc/bind.h"

static int thrd_of(int error)
{
	switch (error) {
	case 0:
		return thrd_success;
	case ENOMEM:
	case EAGAIN:
		return thrd_nomem;
	case EBUSY:
		return thrd_busy;
	case ETIMEDOUT:
		return thrd_timedout;
	}
	return thrd_error;
}

/* Results are int where POSIX has pointers: the register is the same. */
int vr_bind_thrd_create(void *thread, void *fn, void *arg)
{
	return thrd_of(vr_bind_pthread_create(thread, NULL, (void *(*)(void *))fn, arg));
}

int vr_bind_thrd_join(uint64_t thread, int *result)
{
	void *value;
	int error = vr_bind_pthread_join(thread, &value);
	if (!error && result)
		*result = (int)(intptr_t)value;
	return thrd_of(error);
}

void vr_bind_thrd_exit(int result)
{
	vr_bind_pthread_exit((void *)(intptr_t)result);
}

int vr_bind_thrd_sleep(const struct timespec *t, struct timespec *left)
{
	return vr_bind_nanosleep(t, left) ? -1 : 0;
}

void vr_bind_thrd_yield(void)
{
	vr_bind_sched_yield();
}

int vr_bind_mtx_lock(void *m)
{
	return thrd_of(vr_bind_pthread_mutex_lock(m));
}

int vr_bind_tss_create(unsigned *key, void (*destructor)(void *))
{
	return thrd_of(vr_bind_pthread_key_create(key, destructor));
}

void vr_bind_tss_delete(unsigned key)
{
	vr_bind_pthread_key_delete(key);
}

int vr_bind_tss_set(unsigned key, void *value)
{
	return thrd_of(vr_bind_pthread_setspecific(key, value));
}
