/* Sleeping ranks let others run. */
#include <errno.h>
#include <sched.h>
#include <sys/time.h>
#include <time.h>

#include "vrank/core/schedule.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/wait.h"

static int64_t to_ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000ll + t->tv_nsec;
}

/* Sleep until this time of vr_now(): 0, or EINTR when a handler has run. */
static int rest_until(int64_t time)
{
	struct vr_pause p = {0, time, 1};
	int error = 0;
	while (!error) {
		p.next = time - vr_now();
		error = p.next > 0 ? vr_pause(&p) : ETIMEDOUT;
	}
	return error == ETIMEDOUT ? 0 : error;
}

static void give_way(void)
{
	if (!vr_thread)
		vr_rank_yield_outside();
	else
		sched_yield();
}

static struct timespec left_until(int64_t time)
{
	int64_t ns = time - vr_now();
	ns = ns > 0 ? ns : 0;
	return (struct timespec){ns / 1000000000, ns % 1000000000};
}

unsigned vr_bind_sleep(unsigned seconds)
{
	int64_t until = vr_now() + seconds * 1000000000ll;
	struct timespec left = {0};
	if (seconds && rest_until(until))
		left = left_until(until);
	return left.tv_sec + (left.tv_nsec >= 500000000);
}

int vr_bind_clock_nanosleep(clockid_t clock, int flags, const struct timespec *t, struct timespec *left)
{
	struct timespec now;
	int64_t ns = to_ns(t);
	if (t->tv_nsec < 0 || t->tv_nsec > 999999999 || clock_gettime(clock, &now))
		return EINVAL;
	if (flags & TIMER_ABSTIME)
		ns -= to_ns(&now);
	if (ns <= 0) {
		give_way();
		return 0;
	}
	int64_t until = vr_now() + ns;
	int error = rest_until(until);
	if (error && left && !(flags & TIMER_ABSTIME))
		*left = left_until(until);
	return error;
}

int vr_bind_nanosleep(const struct timespec *t, struct timespec *left)
{
	int error = vr_bind_clock_nanosleep(CLOCK_MONOTONIC, 0, t, left);
	if (error)
		vr_set_errno(error);
	return error ? -1 : 0;
}

int vr_bind_usleep(useconds_t us)
{
	return vr_bind_nanosleep(&(struct timespec){us / 1000000, us % 1000000 * 1000}, NULL);
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
