/* Every rank calls exit(21) from a depth, after MPI_Finalize; exit handlers run first. The job ends with 21. */
#include "check.h"

static int code = 3;

static void handler(void)
{
	if (code != 21)
		_Exit(4);
}

static void down(int n)
{
	volatile char frame[100];

	frame[0] = (char)n;
	if (n > 0) {
		down(n - 1);
		frame[1] = frame[0];
	} else if (frame[0] == 0) {
		code = 21;
		exit(21);
	}
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	atexit(handler);
	MPI_Finalize();
	down(50);
	return 2;
}
