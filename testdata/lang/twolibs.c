/* Are the globals of shared libraries private too: data of one used by another, copy relocations, callbacks, TLS? */
// build: $CC -shared -fPIC -o libone.so libone.c && $CC -shared -fPIC -o libtwo.so libtwo.c -L. -lone -Wl,-rpath,'$ORIGIN' && $CC twolibs.c -L. -ltwo -lone -Wl,-rpath,'$ORIGIN'
#include "check.h"

extern int one_state;
extern int *two_pointer;
int one_calls(void);
int one_in_thread(int n);
int two_sum(int n);
int program_hook(int n);

static int hooked;

int program_hook(int n)
{
	hooked += n;
	return hooked;
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	CHECK(one_state == 15 && two_pointer == &one_state);
	for (int i = 0; i < 3; i++) {
		int state = 15 + rank * (i + 1);
		CHECK(two_sum(rank) == state + rank * (i + 1) + state);
		check_others_run();
	}
	CHECK(one_calls() == 3 && one_state == 15 + 3 * rank && hooked == 3 * rank);
	one_in_thread(rank);
	check_others_run();
	CHECK(one_in_thread(0) == 4 + rank);
	return check_end("twolibs");
}
