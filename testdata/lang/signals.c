/* Are handlers, blocked signals and timers private to a rank, and do they reach it while it computes, waits, and sleeps? */
#define _GNU_SOURCE
#include "check.h"
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t hits, last, of_rank = -1;
static volatile sig_atomic_t value;
static sigjmp_buf back;

static void count(int signal)
{
	hits++;
	last = signal;
	of_rank = rank;
}

static void detail(int signal, siginfo_t *info, void *context)
{
	hits++;
	last = signal;
	value = info->si_value.sival_int + (context != NULL ? 1000 : 0);
}

static void jump(int signal) { siglongjmp(back, signal); }

static void on(int signal, void (*handler)(int), int flags)
{
	struct sigaction a = {.sa_handler = handler, .sa_flags = flags};
	hits = last = 0;
	CHECK(sigaction(signal, &a, NULL) == 0);
}

static void timer(int which, long us, long again)
{
	struct itimerval v = {{0, again}, {0, us}};
	CHECK(setitimer(which, &v, NULL) == 0);
}

static void to_oneself(void)
{
	struct sigaction a = {.sa_sigaction = detail, .sa_flags = SA_SIGINFO}, old;

	on(SIGUSR1, count, 0);
	CHECK(raise(SIGUSR1) == 0 && hits == 1 && last == SIGUSR1);
	CHECK(kill(getpid(), SIGUSR1) == 0 && hits == 2 && of_rank == rank);
	CHECK(sigaction(SIGUSR1, &a, &old) == 0 && old.sa_handler == count);
	CHECK(sigqueue(getpid(), SIGUSR1, (union sigval){.sival_int = 7}) == 0 && hits == 3 && value == 1007);
	CHECK(signal(SIGUSR1, SIG_IGN) != SIG_ERR && raise(SIGUSR1) == 0 && hits == 3);
	on(SIGUSR1, count, SA_RESETHAND);
	CHECK(raise(SIGUSR1) == 0 && hits == 1);
	CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
	/* only ranks that have an even number handle it */
	if (rank % 2 == 0)
		on(SIGUSR2, count, 0);
	check_others_run();
	CHECK(signal(SIGUSR2, SIG_DFL) == (rank % 2 == 0 ? count : SIG_DFL));
}

static void blocked(void)
{
	sigset_t set, old, now;
	int got = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	on(SIGUSR1, count, 0);
	CHECK(sigprocmask(SIG_BLOCK, &set, &old) == 0 && !sigismember(&old, SIGUSR1));
	raise(SIGUSR1);
	CHECK(hits == 0);
	CHECK(sigpending(&now) == 0 && sigismember(&now, SIGUSR1));
	check_others_run();
	CHECK(sigprocmask(SIG_BLOCK, NULL, &now) == 0 && sigismember(&now, SIGUSR1) && hits == 0);
	CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0 && hits == 1);
	/* half of the ranks block it while all run */
	if (rank % 2)
		sigprocmask(SIG_BLOCK, &set, NULL);
	check_others_run();
	sigprocmask(SIG_BLOCK, NULL, &now);
	CHECK(sigismember(&now, SIGUSR1) == rank % 2);
	raise(SIGUSR1);
	CHECK(hits == 2 - rank % 2);
	if (rank % 2)
		CHECK(sigwait(&set, &got) == 0 && got == SIGUSR1);
	sigprocmask(SIG_SETMASK, &old, NULL);
	CHECK(hits == 2 - rank % 2);
}

/* A walltime checker: the loop calls nothing at all. */
static void while_computing(void)
{
	double start = MPI_Wtime();
	volatile double x = 1;

	on(SIGALRM, count, SA_RESTART);
	timer(ITIMER_REAL, 10000, 0);
	while (!hits)
		x = x * 1.0000001 + 1e-9;
	CHECK(hits == 1 && of_rank == rank && last == SIGALRM && MPI_Wtime() - start >= 0.0099);
	MPI_Barrier(MPI_COMM_WORLD);
	on(SIGALRM, count, SA_RESTART);
	timer(ITIMER_REAL, 5000, 5000);
	while (hits < 4)
		x = x * 1.0000001 + 1e-9;
	timer(ITIMER_REAL, 0, 0);
	on(SIGVTALRM, count, SA_RESTART);
	timer(ITIMER_VIRTUAL, 5000, 0);
	while (last != SIGVTALRM) /* an alarm may still be on its way */
		x += 1e-9;
	on(SIGPROF, count, SA_RESTART);
	timer(ITIMER_PROF, 5000, 0);
	while (last != SIGPROF)
		x += 1e-9;
}

static char marks[64] = "/tmp/signals-XXXXXX"; /* a directory */

static const char *mark_of(int rank)
{
	static char name[100];
	snprintf(name, sizeof name, "%s/%d", marks, rank);
	return name;
}

static void mark(int signal)
{
	count(signal);
	close(creat(mark_of(rank), 0666));
}

static void send_after_mark(int to)
{
	int token = 0;

	for (int i = 0; i < 30000 && access(mark_of(to), F_OK); i++)
		usleep(1000);
	unlink(mark_of(to));
	MPI_Send(&token, 1, MPI_INT, to, 5, MPI_COMM_WORLD);
}

/* The handler runs while its rank waits for a message that comes when it has run. */
static void while_in_mpi(void)
{
	int token = 0, seen = 0;

	on(SIGALRM, mark, SA_RESTART);
	CHECK(rank || mkdtemp(marks));
	MPI_Bcast(marks, sizeof marks, MPI_CHAR, 0, MPI_COMM_WORLD);
	if (rank == 0) {
		for (int to = 1; to < size; to++)
			send_after_mark(to);
		CHECK(rmdir(marks) == 0);
	} else {
		timer(ITIMER_REAL, 20000, 0);
		MPI_Recv(&token, 1, MPI_INT, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		seen = hits;
		CHECK(hits == 1 && seen == 1);
	}
	/* while it looks for a message again and again */
	on(SIGALRM, count, SA_RESTART);
	timer(ITIMER_REAL, 10000, 0);
	for (int flag = 0; !hits;)
		MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
	MPI_Barrier(MPI_COMM_WORLD);
}

/* From now on again and again: the first one may come before the call that it is to interrupt. */
static void alarms(void)
{
	hits = 0;
	timer(ITIMER_REAL, 20000, 20000);
}

static int alarmed(void)
{
	timer(ITIMER_REAL, 0, 0);
	return hits > 0;
}

static void interrupting(void)
{
	struct timespec ts = {60, 0}, left = {0, 0};
	sigset_t set, none;
	char byte;
	int ends[2];

	on(SIGALRM, count, 0);
	alarm(1000);
	CHECK(alarm(0) > 900);
	alarms();
	CHECK(sleep(60) > 0 && alarmed());
	alarms();
	CHECK(nanosleep(&ts, &left) == -1 && errno == EINTR && left.tv_sec > 0 && left.tv_sec < 60 && alarmed());
	alarms();
	CHECK(pause() == -1 && errno == EINTR && alarmed());
	CHECK(pipe(ends) == 0);
	alarms();
	CHECK(read(ends[0], &byte, 1) == -1 && errno == EINTR && alarmed());
	close(ends[0]), close(ends[1]);
	/* sigsuspend lets a blocked one in */
	sigemptyset(&none);
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, NULL);
	hits = 0;
	timer(ITIMER_REAL, 1000, 0);
	for (double end = MPI_Wtime() + 0.005; MPI_Wtime() < end;)
		;
	CHECK(hits == 0);
	CHECK(sigsuspend(&none) == -1 && errno == EINTR && hits == 1);
	timer(ITIMER_REAL, 1000, 0);
	CHECK(sigtimedwait(&set, NULL, &ts) == SIGALRM && hits == 1);
	ts.tv_sec = 0, ts.tv_nsec = 1000000;
	CHECK(sigtimedwait(&set, NULL, &ts) == -1 && errno == EAGAIN);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

/* A read that is given up by siglongjmp from the handler; twice, as the signal must not stay blocked. */
static void jumping(void)
{
	char byte;
	int ends[2];
	volatile int times = 0;

	CHECK(pipe(ends) == 0);
	on(SIGALRM, jump, 0);
	for (int i = 0; i < 2; i++)
		if (sigsetjmp(back, 1) == 0) {
			timer(ITIMER_REAL, 10000, 0);
			CHECK(read(ends[0], &byte, 1) == 12345);
		} else {
			times++;
		}
	CHECK(times == 2);
	for (int i = 0; i < 2; i++)
		if (sigsetjmp(back, 1) == 0) {
			timer(ITIMER_REAL, 10000, 0);
			for (;;)
				;
		} else {
			times++;
		}
	CHECK(times == 4);
	close(ends[0]), close(ends[1]);
	check_others_run();
}

static void overflow(int signal)
{
	siglongjmp(back, signal);
}

static int deep(volatile char *above)
{
	volatile char here[65536];
	here[0] = *above;
	return deep(here) + here[1];
}

/* The handler of a stack overflow needs another stack. */
static void other_stack(void)
{
	stack_t s = {.ss_sp = malloc(65536), .ss_size = 65536}, old;
	struct sigaction a = {.sa_handler = overflow, .sa_flags = SA_ONSTACK};
	char c = 0;

	CHECK(sigaltstack(&s, NULL) == 0 && sigaltstack(NULL, &old) == 0 && old.ss_sp == s.ss_sp);
	CHECK(sigaction(SIGSEGV, &a, NULL) == 0);
	int code = sigsetjmp(back, 1);
	if (!code)
		code = deep(&c);
	CHECK(code == SIGSEGV);
	check_others_run();
	signal(SIGSEGV, SIG_DFL);
	s.ss_flags = SS_DISABLE;
	CHECK(sigaltstack(&s, NULL) == 0);
	free(s.ss_sp);
}

/* Each rank hears of its own children only. */
static void children(void)
{
	pid_t child;

	on(SIGCHLD, count, SA_RESTART);
	check_others_run();
	for (int i = 0; i < 2; i++) {
		hits = 0;
		if ((child = fork()) == 0)
			_exit(rank & 1);
		CHECK(child > 0);
		for (int t = 0; t < 60000 && !hits; t++)
			usleep(1000);
		CHECK(waitpid(child, NULL, 0) == child);
		CHECK(hits == 1 && of_rank == rank);
	}
	signal(SIGCHLD, SIG_DFL);
}

static void posix_timers(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1, .sigev_value.sival_int = 40 + rank % 10};
	struct sigaction a = {.sa_sigaction = detail, .sa_flags = SA_SIGINFO};
	struct itimerspec when = {{0, 0}, {60, 0}}, now;
	timer_t t;

	hits = value = 0;
	CHECK(sigaction(SIGRTMIN + 1, &a, NULL) == 0);
	CHECK(timer_create(CLOCK_MONOTONIC, &e, &t) == 0);
	CHECK(timer_settime(t, 0, &when, NULL) == 0 && timer_gettime(t, &now) == 0 && now.it_value.tv_sec > 0);
	when.it_value = (struct timespec){0, 10000000};
	CHECK(timer_settime(t, 0, &when, NULL) == 0);
	check_others_run();
	for (int i = 0; i < 60000 && !hits; i++)
		usleep(1000);
	CHECK(hits == 1 && value == 1040 + rank % 10);
	CHECK(timer_delete(t) == 0);
	errno = 0;
	CHECK(timer_settime(t, 0, &when, NULL) == -1 && errno == EINVAL);
}

static volatile int calls;

static void called(union sigval v) { __atomic_add_fetch(&calls, v.sival_int, __ATOMIC_SEQ_CST); }

static void timers_with_threads(void)
{
	struct sigevent e = {.sigev_notify = SIGEV_THREAD, .sigev_notify_function = called, .sigev_value.sival_int = rank + 1};
	struct itimerspec when = {{0, 5000000}, {0, 5000000}};
	timer_t t;

	CHECK(timer_create(CLOCK_REALTIME, &e, &t) == 0 && timer_settime(t, 0, &when, NULL) == 0);
	for (int i = 0; i < 60000 && calls < 3 * (rank + 1); i++)
		usleep(1000);
	CHECK(calls >= 3 * (rank + 1) && calls % (rank + 1) == 0);
	CHECK(timer_delete(t) == 0);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	to_oneself();
	blocked();
	while_computing();
	while_in_mpi();
	interrupting();
	jumping();
	other_stack();
	children();
	posix_timers();
	timers_with_threads();
	return check_end("signals");
}
