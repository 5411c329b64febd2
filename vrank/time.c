/* Sleeping ranks let others run. */
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>

#include "bind.h"
#include "core.h"

static int64_t to_ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

/* Threads that ranks start are the kernel's to schedule. */
static void rest(int64_t ns)
{
	if (!vr_thread)
		vr_rank_sleep(ns);
	else
		nanosleep(&(struct timespec){ns / 1000000000, ns % 1000000000}, NULL);
}

static void give_way(void)
{
	if (!vr_thread)
		vr_rank_yield();
	else
		sched_yield();
}

unsigned vr_bind_sleep(unsigned seconds)
{
	rest(seconds * 1000000000ll);
	return 0;
}

int vr_bind_usleep(useconds_t us)
{
	rest(us * 1000ll);
	return 0;
}

int vr_bind_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	(void)left;
	struct timespec now;
	int64_t ns = to_ns(t);
	if (t->tv_nsec < 0 || t->tv_nsec > 999999999 || clock_gettime(clock, &now))
		return EINVAL;
	if (flags & TIMER_ABSTIME)
		ns -= to_ns(&now);
	if (ns > 0)
		rest(ns);
	else
		give_way();
	return 0;
}

int vr_bind_nanosleep(const struct timespec *t, struct timespec *left)
{
	int error = vr_bind_clock_nanosleep(CLOCK_MONOTONIC, 0, t, left);
	if (error)
		vr_set_errno(error);
	return error ? -1 : 0;
}

int vr_bind_sched_yield(void)
{
	give_way();
	return 0;
}

/* In the ranks' C library these two resolve to addresses of the process's vdso. */
time_t vr_bind_time(time_t *out)
{
	return time(out);
}

int vr_bind_gettimeofday(void *out, void *zone)
{
	(void)zone;
	return gettimeofday(out, NULL);
}
