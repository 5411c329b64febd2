/* Do setjmp and longjmp work across MPI calls made by every rank, from depth and from a signal-free loop? */
#include "check.h"
#include <setjmp.h>

static jmp_buf back;
static sigjmp_buf signal_back;

static void deep(int n, int code)
{
	volatile char pad[200];

	pad[0] = (char)n;
	if (n > 0) {
		deep(n - 1, code + (pad[0] != (char)n));
		return;
	}
	check_others_run();
	if (code > 0)
		longjmp(back, code);
}

static void once(int round)
{
	volatile int before = rank * 100 + round;
	int code = setjmp(back);

	if (code == 0) {
		check_others_run();
		deep(20 + rank % 7, 1 + rank + round);
		CHECK(!"not reached");
	}
	CHECK(code == 1 + rank + round);
	CHECK(before == rank * 100 + round);
}

int main(int argc, char **argv)
{
	int code;

	check_begin(&argc, &argv);
	for (int round = 0; round < 5; round++)
		once(round);
	code = sigsetjmp(signal_back, 1);
	check_others_run();
	if (code < 3)
		siglongjmp(signal_back, code + 1);
	CHECK(code == 3);
	return check_end("jumps");
}
