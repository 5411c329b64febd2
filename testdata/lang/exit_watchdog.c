/* A rank waits for a message that nobody sends; its alarm goes off there, and the handler ends the rank with 7. */
#include "check.h"
#include <signal.h>
#include <unistd.h>

static void on_alarm(int signal)
{
	(void)signal;
	const char text[] = "watchdog: no message came\n";
	if (write(2, text, sizeof text - 1) < 0)
		_exit(8);
	_exit(7);
}

int main(int argc, char **argv)
{
	int token;

	check_begin(&argc, &argv);
	signal(SIGALRM, on_alarm);
	if (rank == 0)
		alarm(1);
	MPI_Recv(&token, 1, MPI_INT, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	return check_end("exit_watchdog");
}
