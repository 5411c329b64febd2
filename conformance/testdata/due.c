/*
 * Timers that go off after two seconds of the job's time, whatever the system's clocks say meanwhile: the job is saved, and goes on where they have
 * other values. Says "set" when all are set.
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#define WAIT 2
#define CHECK(cond) ((cond) ? (void)0 : (fprintf(stderr, "FAIL due.c:%d: %s\n", __LINE__, #cond), (void)MPI_Abort(MPI_COMM_WORLD, 1)))

enum { RELATIVE, ABSOLUTE, BY_ALARM, KINDS };

static volatile sig_atomic_t over[KINDS];
static const int signals[KINDS] = {SIGUSR1, SIGUSR2, SIGALRM};

static void note(int sig)
{
	for (int i = 0; i < KINDS; i++)
		over[i] |= signals[i] == sig;
}

static void set_timer(int kind, int flags)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = signals[kind]};
	struct itimerspec when = {0};
	timer_t timer;

	if (flags & TIMER_ABSTIME)
		clock_gettime(CLOCK_MONOTONIC, &when.it_value);
	when.it_value.tv_sec += WAIT;
	CHECK(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0 && timer_settime(timer, flags, &when, NULL) == 0);
}

int main(int argc, char **argv)
{
	int rank, fd;
	uint64_t times = 0;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	for (int i = 0; i < KINDS; i++)
		signal(signals[i], note);
	MPI_Barrier(MPI_COMM_WORLD);
	double begin = MPI_Wtime();
	set_timer(RELATIVE, 0);
	set_timer(ABSOLUTE, TIMER_ABSTIME);
	CHECK(setitimer(ITIMER_REAL, &(struct itimerval){.it_value.tv_sec = WAIT}, NULL) == 0);
	CHECK((fd = timerfd_create(CLOCK_MONOTONIC, 0)) >= 0 && timerfd_settime(fd, 0, &(struct itimerspec){.it_value.tv_sec = WAIT}, NULL) == 0);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		puts("set");
	fflush(stdout);
	for (int n = 0; n < KINDS; usleep(1000)) {
		n = over[RELATIVE] + over[ABSOLUTE] + over[BY_ALARM];
		CHECK(n == 0 || MPI_Wtime() - begin > WAIT - 0.1);
	}
	while (read(fd, &times, sizeof times) < 0)
		;
	CHECK(times == 1 && MPI_Wtime() - begin > WAIT - 0.1);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 0)
		puts("PASS due");
	MPI_Finalize();
	return 0;
}
