/* Are rounding mode, exception flags and x87 precision kept per rank across MPI calls? */
#include "check.h"
#include <fenv.h>

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

int main(int argc, char **argv)
{
	volatile double one = 1, three = 3, up;
	volatile long double x87;

	check_begin(&argc, &argv);
	CHECK(fegetround() == FE_TONEAREST);
	fesetround(modes[rank % 4]);
	check_others_run();
	CHECK(fegetround() == modes[rank % 4]);
	up = one / three;
	CHECK((up * 3 > 1) == 0 || rank % 4 == 2);
	x87 = (long double)one / three;
	check_others_run();
	CHECK(x87 == (long double)one / three);
	fesetround(FE_TONEAREST);
	return check_end("floating_point");
}
