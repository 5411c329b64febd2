/* Locks between a rank's first thread and its others. On the PE thread nobody waits in the kernel: who holds the lock may be in a
 * call that only the PE carries out. What cannot be tried (conditions, barriers, OpenMP) is left to preempt.h. */
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <time.h>
#include <unistd.h>

#include "vrank/core/inbox.h"
#include "vrank/core/schedule.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/wait.h"

#define PAUSE_MIN 1000
#define PAUSE_MAX 500000

/* Here the C library does as well: on threads of the kernel, and in ranks that have no others. */
static int is_simple(void)
{
	return vr_thread || !atomic_load_explicit(&vr_current->threads, memory_order_relaxed);
}

/* A program may look for something again and again under a lock, until another thread's call has returned. */
static void let_others(void)
{
	if (vr_pe->head || vr_pe_has_news())
		vr_rank_yield_outside();
}

static int try_until(int (*try)(void *), void *lock)
{
	int error;
	let_others();
	for (int64_t pause = PAUSE_MIN; (error = try(lock)) == EBUSY; pause = pause < PAUSE_MAX ? 2 * pause : pause)
		vr_rank_sleep(pause);
	return error;
}

static int try_mutex(void *m)
{
	return pthread_mutex_trylock(m);
}

static int try_read(void *l)
{
	return pthread_rwlock_tryrdlock(l);
}

static int try_write(void *l)
{
	return pthread_rwlock_trywrlock(l);
}

static int try_spin(void *l)
{
	return pthread_spin_trylock(l);
}

static int try_sem(void *s)
{
	if (!sem_trywait(s))
		return 0;
	return errno == EAGAIN ? EBUSY : errno;
}

/* A checking mutex that its owner locks again: the C library says so. */
static int is_held_twice(const pthread_mutex_t *m)
{
	return (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK && m->__data.__owner == vr_gettid();
}

/* Memory that ranks share may have a mutex that another rank of this worker holds. */
int vr_bind_pthread_mutex_lock(void *m)
{
	if (is_held_twice(m) || vr_may_block())
		return pthread_mutex_lock(m);
	if (!is_simple())
		return try_until(try_mutex, m);
	int error = pthread_mutex_trylock(m);
	return vr_likely(error != EBUSY) ? error : try_until(try_mutex, m);
}

int vr_bind_pthread_mutex_trylock(void *m)
{
	if (!is_simple())
		let_others();
	return pthread_mutex_trylock(m);
}

int vr_bind_pthread_rwlock_rdlock(void *l)
{
	return is_simple() ? pthread_rwlock_rdlock(l) : try_until(try_read, l);
}

int vr_bind_pthread_rwlock_wrlock(void *l)
{
	return is_simple() ? pthread_rwlock_wrlock(l) : try_until(try_write, l);
}

int vr_bind_pthread_spin_lock(void *l)
{
	return is_simple() ? pthread_spin_lock(l) : try_until(try_spin, l);
}

/* Semaphores are for waiting long, too, so signals are looked after. */
static int lock_sem(void *s, int64_t ns)
{
	struct vr_pause pause = vr_pause_for(ns);
	pause.any = 0;
	int error;
	let_others();
	while ((error = try_sem(s)) == EBUSY || error == EINTR)
		if ((error = vr_pause(&pause)))
			break;
	return error;
}

int vr_bind_sem_timedwait(void *s, const struct timespec *t)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	int64_t ns = (t->tv_sec - now.tv_sec) * 1000000000ll + t->tv_nsec - now.tv_nsec;
	int error = t->tv_nsec < 0 || t->tv_nsec > 999999999 ? EINVAL : vr_may_block() ? (sem_timedwait(s, t) ? errno : 0) : lock_sem(s, ns > 0 ? ns : 0);
	if (error)
		vr_set_errno(error);
	return error ? -1 : 0;
}

int vr_bind_sem_wait(void *s)
{
	int error = vr_may_block() ? (sem_wait(s) ? errno : 0) : lock_sem(s, -1);
	if (error)
		vr_set_errno(error);
	return error ? -1 : 0;
}
