/* Does a handler that the program installs run for raise() and for a fault it recovers from with siglongjmp? */
#define _GNU_SOURCE
#include "check.h"
#include <setjmp.h>
#include <signal.h>

static sigjmp_buf back;
static volatile sig_atomic_t seen;

static void on_usr(int signal) { seen = signal; }

static void on_fpe(int signal) { siglongjmp(back, signal); }

int main(int argc, char **argv)
{
	struct sigaction action = {.sa_handler = on_usr}, old;
	volatile int zero = 0, quotient = 5;
	int code;

	check_begin(&argc, &argv);
	CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
	raise(SIGUSR2);
	CHECK(seen == SIGUSR2);
	MPI_Barrier(MPI_COMM_WORLD);
	action.sa_handler = on_fpe;
	CHECK(sigaction(SIGFPE, &action, &old) == 0);
	code = sigsetjmp(back, 1);
	if (code == 0)
		quotient = 1000 / zero;
	CHECK(code == SIGFPE && quotient == 5);
	CHECK(sigaction(SIGFPE, &old, NULL) == 0);
	return check_end("signal_handler");
}
