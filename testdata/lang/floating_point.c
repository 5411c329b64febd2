/* Are rounding mode, exception flags, traps and x87 precision kept per rank across MPI calls? */
#define _GNU_SOURCE
#include "check.h"
#include <fenv.h>

static const int modes[] = {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD, FE_TOWARDZERO};

/* Of SSE, and by feraiseexcept or long double those of x87. */
static void flags(void)
{
	static const int some[] = {0, FE_DIVBYZERO, FE_INVALID, FE_OVERFLOW, FE_UNDERFLOW};
	const int all = FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW | FE_UNDERFLOW, mine = some[rank % 5];
	volatile long double zero = 0;
	feclearexcept(FE_ALL_EXCEPT);
	check_others_run();
	feraiseexcept(mine);
	check_others_run();
	CHECK(fetestexcept(all) == mine);
	feclearexcept(FE_ALL_EXCEPT);
	check_others_run();
	if (rank % 3 == 1)
		zero = 1 / zero;
	check_others_run();
	CHECK(fetestexcept(all) == (rank % 3 == 1 ? FE_DIVBYZERO : 0));
	feclearexcept(FE_ALL_EXCEPT);
}

/* What some ranks trap, others do without harm. */
static void traps(void)
{
	volatile double zero = 0, one = 1;
	if (rank % 2)
		feenableexcept(FE_DIVBYZERO | FE_INVALID);
	check_others_run();
	CHECK(fegetexcept() == (rank % 2 ? FE_DIVBYZERO | FE_INVALID : 0));
	if (rank % 2 == 0)
		CHECK(one / zero > 1e300);
	check_others_run();
	fedisableexcept(FE_ALL_EXCEPT);
	feclearexcept(FE_ALL_EXCEPT);
	check_others_run();
}

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
	flags();
	traps();
	return check_end("floating_point");
}
