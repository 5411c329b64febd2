/* Does a timer's signal reach the handler of the rank that set it, while it computes and while it waits? */
#include "check.h"
#include <signal.h>
#include <sys/time.h>
#include <unistd.h>

static volatile sig_atomic_t hits;

static void on_alarm(int signal)
{
	(void)signal;
	hits++;
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
	return check_end("timers");
}
