/* A child that outlives its rank, as a daemon does, without running another program: it must not hold up the end of the job. */
#include "check.h"
#include <unistd.h>

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	fflush(stdout);
	if (fork() == 0) {
		setsid();
		sleep(300);
		_exit(0);
	}
	return check_end("child_orphan");
}
