/* Timers of ranks: each is one of the kernel, which kicks the PE thread when it goes off; signals.h has what follows.
 *
 * Those that count processor time count that of the PE thread, on behalf of whichever of its ranks.
 *
 * When a rank moves its timers are deleted and made again. What the kernel would say is left until then may be wrong: it forgets signals
 * of timers that are set anew. So each timer knows when it is due. */
#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "vrank/core/hooks.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/fd_table.h"
#include "vrank/libc/signals.h"

#define SECOND 1000000000ll

static int result(int error)
{
	if (error)
		vr_set_errno(error);
	return error ? -1 : 0;
}

static int is_zero(const struct timespec *t)
{
	return !t->tv_sec && !t->tv_nsec;
}

static int64_t to_ns(const struct timespec *t)
{
	return t->tv_sec * SECOND + t->tv_nsec;
}

static struct timespec from_ns(int64_t ns)
{
	return (struct timespec){ns / SECOND, ns % SECOND};
}

static int64_t clock_now(clockid_t clock)
{
	struct timespec now;
	clock_gettime(clock, &now);
	return to_ns(&now);
}

static int counts_processor_time(const struct vr_timer *t)
{
	return t->clock == CLOCK_THREAD_CPUTIME_ID;
}

static int tells_date(clockid_t clock)
{
	return clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
}

/* By the clock that it is due by. Unless that is a date or processor time, it is the job's own, which goes on where it was after a restart. */
static int64_t timer_now(const struct vr_timer *t)
{
	return t->is_dated || counts_processor_time(t) ? clock_now(t->clock) : vr_now();
}

/* How far that is ahead of the timer's own clock. Two readings, one after the other, do not tell: anything may come between them. */
static int64_t timer_lead(const struct vr_timer *t)
{
	int64_t lead = 0, closest = INT64_MAX;
	if (t->is_dated || counts_processor_time(t))
		return 0;
	if (t->clock == CLOCK_MONOTONIC)
		return vr_clock;
	for (int i = 0; i < 5; i++) {
		int64_t before = vr_now(), own = clock_now(t->clock), spent = vr_now() - before;
		if (spent < closest) {
			closest = spent;
			lead = before - own;
		}
	}
	return lead;
}

static void note_armed(struct vr_timer *t, const struct itimerspec *v)
{
	int now = is_zero(&v->it_value) ? 0 : is_zero(&v->it_interval) ? 1 : 2;
	int was = atomic_exchange(&t->armed, now);
	atomic_fetch_add(&vr_timers_armed, !!now - !!was);
}

/* It has gone off 1 + overrun times; what has not been handled yet of the last time counts as well. */
static void post(struct vr_timer *t, int overrun)
{
	struct vr_signals *s = t->rank->signals;
	const siginfo_t *last = &s->info[t->signal];
	siginfo_t given = {.si_signo = t->signal, .si_code = t->code};
	int is_pending = t->signal && atomic_load(&s->pending) >> (t->signal - 1) & 1;
	given.si_timerid = t->number;
	if (is_pending && last->si_code == t->code && last->si_timerid == t->number)
		overrun += last->si_overrun + 1;
	given.si_value = t->value;
	given.si_overrun = overrun;
	if (t->signal)
		vr_signal_post(t->rank, t->signal, &given);
}

/* A signal of a timer that is not in use any more may still have been under way. */
void vr_timer_fired(struct vr_timer *t, const siginfo_t *info)
{
	int once = 1;
	if (!t->used)
		return;
	t->due += t->interval * (1 + info->si_overrun);
	post(t, info->si_overrun);
	if (atomic_compare_exchange_strong(&t->armed, &once, 0))
		atomic_fetch_sub(&vr_timers_armed, 1);
}

void vr_timer_delivered(struct vr_signals *s, const siginfo_t *info)
{
	for (struct vr_timer *t = info->si_code == SI_TIMER ? s->timers : NULL; t; t = t->next)
		if (t->number == info->si_timerid)
			t->overrun = info->si_overrun;
}

static int make(struct vr_timer *t, clockid_t clock)
{
	if (t->exists)
		return 0;
	t->rank = vr_current;
	t->fd = -1;
	t->clock = clock;
	int error = vr_kick_timer(clock, t, &t->kernel);
	t->exists = !error;
	t->used = !error;
	return error;
}

static int is_bad_time(const struct timespec *t)
{
	return t->tv_sec < 0 || t->tv_nsec < 0 || t->tv_nsec >= SECOND;
}

/* It stands still while what is known of it changes. 0, or an errno. */
static int set(struct vr_timer *t, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	static const struct itimerspec none;
	if (is_bad_time(&new->it_value) || is_bad_time(&new->it_interval))
		return EINVAL;
	if (timer_settime(t->kernel, 0, &none, old))
		return errno;
	note_armed(t, new);
	t->is_dated = flags & TIMER_ABSTIME && tells_date(t->clock);
	t->interval = to_ns(&new->it_interval);
	t->due = to_ns(&new->it_value) + (flags & TIMER_ABSTIME ? timer_lead(t) : timer_now(t));
	return timer_settime(t->kernel, flags, new, NULL) ? errno : 0;
}

/* ---- setitimer and alarm ---- */

static const struct {
	clockid_t clock;
	int signal;
} kinds[] = {{CLOCK_MONOTONIC, SIGALRM}, {CLOCK_THREAD_CPUTIME_ID, SIGVTALRM}, {CLOCK_THREAD_CPUTIME_ID, SIGPROF}};

static struct timespec to_spec(const struct timeval *t)
{
	return (struct timespec){t->tv_sec, t->tv_usec * 1000};
}

/* What is left of a microsecond counts as one: zero would say that the timer does not run. */
static struct timeval to_val(const struct timespec *t)
{
	int64_t us = (t->tv_nsec + 999) / 1000;
	return (struct timeval){t->tv_sec + us / 1000000, us % 1000000};
}

static struct itimerval to_itimerval(const struct itimerspec *s)
{
	return (struct itimerval){to_val(&s->it_interval), to_val(&s->it_value)};
}

static int is_bad(const struct timeval *t)
{
	return t->tv_sec < 0 || t->tv_usec < 0 || t->tv_usec > 999999;
}

static int set_itimer(int which, const struct itimerval *new, struct itimerval *old)
{
	struct vr_signals *s = vr_signals_of(vr_current);
	if (which < 0 || which > 2 || is_bad(&new->it_value) || is_bad(&new->it_interval))
		return EINVAL;
	struct vr_timer *t = s ? &s->itimers[which] : NULL;
	struct itimerspec v = {to_spec(&new->it_interval), to_spec(&new->it_value)}, was;
	int error = t ? make(t, kinds[which].clock) : ENOMEM;
	if (error)
		return error;
	t->signal = kinds[which].signal;
	t->code = SI_KERNEL;
	error = set(t, 0, &v, &was);
	if (!error && old)
		*old = to_itimerval(&was);
	return error;
}

int vr_bind_setitimer(int which, const void *new, void *old)
{
	static const struct itimerval none;
	return result(set_itimer(which, new ? new : &none, old));
}

int vr_bind_getitimer(int which, void *out)
{
	const struct vr_signals *s = vr_current->signals;
	struct itimerspec now = {0};
	if (which < 0 || which > 2)
		return result(EINVAL);
	if (s && s->itimers[which].exists)
		timer_gettime(s->itimers[which].kernel, &now);
	*(struct itimerval *)out = to_itimerval(&now);
	return 0;
}

unsigned vr_bind_alarm(unsigned seconds)
{
	struct itimerval new = {.it_value.tv_sec = seconds}, old = {0};
	if (set_itimer(ITIMER_REAL, &new, &old))
		return 0;
	unsigned left = old.it_value.tv_sec;
	if (old.it_value.tv_usec >= 500000 || (!left && old.it_value.tv_usec))
		left++;
	return left;
}

useconds_t vr_bind_ualarm(useconds_t value, useconds_t interval)
{
	struct itimerval new = {{interval / 1000000, interval % 1000000}, {value / 1000000, value % 1000000}}, old = {0};
	if (set_itimer(ITIMER_REAL, &new, &old))
		return (useconds_t)-1;
	return old.it_value.tv_sec * 1000000 + old.it_value.tv_usec;
}

/* ---- timer_create and kin ---- */

static struct vr_timer *unused_timer(struct vr_signals *s)
{
	for (struct vr_timer *t = s->timers; t; t = t->next)
		if (!t->used && !t->exists)
			return t;
	struct vr_timer *t = vr_rank_calloc(vr_current, 1, sizeof *t);
	if (t) {
		t->number = s->timers ? s->timers->number + 1 : 1;
		t->next = s->timers;
		s->timers = t;
	}
	return t;
}

/* Calls the program's function each time that the timer goes off. */
static void *thread_of(void *arg)
{
	struct vr_timer *t = arg;
	uint64_t times;
	int fd = t->fd;
	while (read(fd, &times, sizeof times) == sizeof times || errno == EINTR)
		if (t->used)
			t->function(t->value);
		else
			break;
	close(fd);
	t->exists = 0;
	return NULL;
}

static clockid_t real_clock(clockid_t clock)
{
	return clock == CLOCK_PROCESS_CPUTIME_ID ? CLOCK_THREAD_CPUTIME_ID : clock;
}

static int create_with_thread(struct vr_timer *t, clockid_t clock)
{
	uint64_t thread;
	t->fd = timerfd_create(clock, TFD_CLOEXEC);
	if (t->fd >= 0)
		t->fd = vr_fd_aside(t->fd);
	if (t->fd < 0)
		return errno;
	t->rank = vr_current;
	t->used = t->exists = 1;
	int error = vr_bind_pthread_create(&thread, NULL, thread_of, t);
	if (error) {
		close(t->fd);
		t->used = t->exists = 0;
		return error;
	}
	vr_bind_pthread_detach(thread);
	return 0;
}

static int create(clockid_t clock, const struct sigevent *e, struct vr_timer **out)
{
	struct vr_signals *s = vr_signals_of(vr_current);
	struct vr_timer *t = s ? unused_timer(s) : NULL;
	if (!t)
		return EAGAIN;
	if (e && e->sigev_notify != SIGEV_NONE && e->sigev_notify != SIGEV_THREAD && (e->sigev_signo <= 0 || e->sigev_signo >= VR_SIGNALS))
		return EINVAL;
	t->value = e ? e->sigev_value : (union sigval){.sival_ptr = t};
	t->signal = !e ? SIGALRM : e->sigev_notify == SIGEV_NONE ? 0 : e->sigev_signo;
	t->code = SI_TIMER;
	*out = t;
	if (!e || e->sigev_notify != SIGEV_THREAD)
		return make(t, real_clock(clock));
	t->function = e->sigev_notify_function;
	return create_with_thread(t, clock);
}

int vr_bind_timer_create(clockid_t clock, const void *event, void *out)
{
	struct vr_timer *t = NULL;
	int error = create(clock, event, &t);
	if (!error)
		*(struct vr_timer **)out = t;
	return result(error);
}

int vr_bind_timer_settime(void *timer, int flags, const struct itimerspec *new, struct itimerspec *old)
{
	struct vr_timer *t = timer;
	if (!t || !t->used)
		return result(EINVAL);
	if (t->fd >= 0)
		return result(timerfd_settime(t->fd, flags & TIMER_ABSTIME ? TFD_TIMER_ABSTIME : 0, new, old) ? errno : 0);
	int error = set(t, flags, new, old);
	if (!error && !vr_thread)
		vr_signals_run(); /* of what was before, all has been handled when the call is over */
	return result(error);
}

int vr_bind_timer_gettime(void *timer, struct itimerspec *now)
{
	struct vr_timer *t = timer;
	if (!t || !t->used)
		return result(EINVAL);
	return result((t->fd >= 0 ? timerfd_gettime(t->fd, now) : timer_gettime(t->kernel, now)) ? errno : 0);
}

int vr_bind_timer_getoverrun(void *timer)
{
	struct vr_timer *t = timer;
	if (!t || !t->used)
		return result(EINVAL);
	return t->fd >= 0 ? 0 : t->overrun;
}

static void stop(struct vr_timer *t)
{
	static const struct itimerspec none;
	if (!t->exists)
		return;
	if (t->fd >= 0) { /* its thread closes it, woken a last time */
		timerfd_settime(t->fd, 0, &(struct itimerspec){.it_value.tv_nsec = 1}, NULL);
		return;
	}
	note_armed(t, &none);
	timer_delete(t->kernel);
	t->exists = 0;
}

int vr_bind_timer_delete(void *timer)
{
	struct vr_timer *t = timer;
	if (!t || !t->used)
		return result(EINVAL);
	t->used = 0;
	stop(t);
	return 0;
}

void vr_timers_end(struct vr_rank *r)
{
	struct vr_signals *s = r->signals;
	if (!s)
		return;
	for (int i = 0; i < 3; i++)
		s->itimers[i].used = 0, stop(&s->itimers[i]);
	for (struct vr_timer *t = s->timers; t; t = t->next)
		t->used = 0, stop(t);
	atomic_store(&s->pending, 0);
}

/* ---- going and coming ---- */

typedef int each_timer(struct vr_timer *t);

static int for_each(struct vr_rank *r, each_timer *call)
{
	struct vr_signals *s = r->signals;
	int error = 0;
	for (int i = 0; i < 3 && !error; i++)
		error = s->itimers[i].exists ? call(&s->itimers[i]) : 0;
	for (struct vr_timer *t = s->timers; t && !error; t = t->next)
		error = t->exists && t->fd < 0 ? call(t) : 0;
	return error;
}

/* Its signals come to this thread, so all that there were have come when the call that stops it is over. */
static int leave(struct vr_timer *t)
{
	static const struct itimerspec none;
	timer_settime(t->kernel, 0, &none, NULL);
	timer_delete(t->kernel);
	atomic_fetch_sub(&vr_timers_armed, !!t->armed);
	if (counts_processor_time(t))
		t->due -= timer_now(t);
	return 0;
}

/* What was due under way has gone off now. */
static void catch_up(struct vr_timer *t, int64_t late)
{
	int64_t missed = t->interval ? late / t->interval : 0;
	t->due += t->interval * (missed + 1);
	if (!t->interval)
		t->armed = 0;
	post(t, (int)missed);
}

/* By the time at which it is due, or it would be late by whatever comes between here and the kernel. A timer on the time of day that was set for a
 * span does not heed when that time is set anew, so it is given a span again, and once more if something has come in between. */
static int arm(struct vr_timer *t)
{
	int by_time = t->is_dated || !tells_date(t->clock), error;
	for (int i = 0; i < 5; i++) {
		int64_t now = timer_now(t), left = t->due - now;
		struct itimerspec v = {from_ns(t->interval), from_ns(by_time ? t->due - timer_lead(t) : left > 0 ? left : 1)};
		error = timer_settime(t->kernel, by_time ? TIMER_ABSTIME : 0, &v, NULL);
		if (by_time || error || timer_now(t) - now < 50000)
			break;
	}
	return error;
}

static int adopt(struct vr_timer *t)
{
	int error = vr_kick_timer(t->clock, t, &t->kernel);
	if (error || !t->armed)
		return error;
	int64_t now = timer_now(t);
	if (counts_processor_time(t))
		t->due += now;
	if (t->due <= now)
		catch_up(t, now - t->due);
	if (!t->armed)
		return 0;
	atomic_fetch_add(&vr_timers_armed, 1);
	return arm(t) ? errno : 0;
}

void vr_timers_leave(struct vr_rank *r)
{
	for_each(r, leave);
}

int vr_timers_adopt(struct vr_rank *r)
{
	return for_each(r, adopt);
}

void vr_timers_forget(struct vr_rank *r)
{
	struct vr_signals *s = r->signals;
	atomic_store(&vr_timers_armed, 0);
	if (!s)
		return;
	memset(s->itimers, 0, sizeof s->itimers);
	for (struct vr_timer *t = s->timers; t; t = t->next)
		t->used = t->exists = t->armed = 0;
}
