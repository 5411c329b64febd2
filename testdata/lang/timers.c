/* Does a timer's signal reach the handler of the rank that set it, while it computes and while it waits? */
#include "check.h"
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t hits;

static void on_alarm(int signal)
{
	(void)signal;
	hits++;
}

/* ---- none is lost, and none counts twice ---- */

#define EVERY 3000000 /* nanoseconds */
#define TICKS 30

static volatile long ticks;
static timer_t ticking;

static void tick(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)context;
	CHECK(info->si_code == SI_TIMER && info->si_value.sival_int == 17);
	ticks += 1 + timer_getoverrun(ticking);
}

static long long now_ns(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* How often it has gone off follows from when it was set and when it was stopped, each known to lie between two looks at the clock. */
static void count_ticks(clockid_t clock, int flags)
{
	struct sigaction a = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 3, .sigev_value.sival_int = 17};
	struct itimerspec v = {{0, EVERY}, {0, EVERY}}, left;
	long long set, was_set, stop, stopped;

	ticks = 0;
	CHECK(sigaction(SIGRTMIN + 3, &a, NULL) == 0);
	CHECK(timer_create(clock, &e, &ticking) == 0);
	set = now_ns(clock);
	if (flags) {
		v.it_value.tv_sec = (set + EVERY) / 1000000000;
		v.it_value.tv_nsec = (set + EVERY) % 1000000000;
	}
	CHECK(timer_settime(ticking, flags, &v, NULL) == 0);
	was_set = flags ? set : now_ns(clock);
	while (ticks < TICKS / 3) /* while it computes, while it waits in MPI, and while it sleeps */
		;
	while (ticks < 2 * TICKS / 3)
		MPI_Barrier(MPI_COMM_SELF);
	while (ticks < TICKS)
		usleep(100);
	CHECK(timer_gettime(ticking, &left) == 0 && left.it_interval.tv_nsec == EVERY && left.it_value.tv_nsec <= EVERY);
	stop = now_ns(clock);
	CHECK(timer_settime(ticking, 0, &(struct itimerspec){0}, &left) == 0 && left.it_interval.tv_nsec == EVERY);
	stopped = now_ns(clock);
	check_others_run();
	CHECK(timer_gettime(ticking, &left) == 0 && !left.it_value.tv_sec && !left.it_value.tv_nsec);
	if (ticks < (stop - was_set) / EVERY || ticks > (stopped - set) / EVERY)
		fprintf(stderr, "rank %d: %ld ticks in %lld to %lld ns\n", rank, ticks, stop - was_set, stopped - set);
	CHECK(ticks >= (stop - was_set) / EVERY - 1 && ticks <= (stopped - set) / EVERY);
	CHECK(timer_delete(ticking) == 0);
}

/* Blocked, a signal comes once, and later: with what its timer has done since. */
static void while_blocked(void)
{
	sigset_t set, old;
	siginfo_t info;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN + 3);
	CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0);
	CHECK(timer_create(CLOCK_MONOTONIC, &(struct sigevent){.sigev_signo = SIGRTMIN + 3, .sigev_value.sival_int = 17}, &ticking) == 0);
	ticks = 0;
	CHECK(timer_settime(ticking, 0, &(struct itimerspec){{0, EVERY}, {0, EVERY}}, NULL) == 0);
	for (long long end = now_ns(CLOCK_MONOTONIC) + 5 * EVERY; now_ns(CLOCK_MONOTONIC) < end;)
		MPI_Barrier(MPI_COMM_SELF);
	CHECK(ticks == 0);
	CHECK(sigwaitinfo(&set, &info) == SIGRTMIN + 3 && info.si_value.sival_int == 17 && info.si_overrun >= 3);
	CHECK(timer_delete(ticking) == 0);
	CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
}

int main(int argc, char **argv)
{
	struct itimerval soon = {.it_value = {.tv_usec = 100000}};
	double end;

	check_begin(&argc, &argv);
	CHECK(signal(SIGALRM, on_alarm) != SIG_ERR);
	CHECK(setitimer(ITIMER_REAL, &soon, NULL) == 0);
	for (end = MPI_Wtime() + 60; MPI_Wtime() < end && !hits;)
		;
	CHECK(hits == 1);
	alarm(1);
	for (int i = 0; i < 600 && hits < 2; i++)
		usleep(100000);
	CHECK(hits == 2);
	count_ticks(CLOCK_MONOTONIC, 0);
	count_ticks(CLOCK_REALTIME, 0);
	count_ticks(CLOCK_MONOTONIC, TIMER_ABSTIME);
	while_blocked();
	return check_end("timers");
}
