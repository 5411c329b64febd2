/* Do MINLOC and MAXLOC find value and lowest index on every pair type? */
#include "check.h"

#define PAIR(T) struct { T value; int index; }

/* Element 0: all equal, so the lowest index wins. Element 1: extreme in the middle. Element 2: at both ends. */
static int value(int r, int i, int sign)
{
	int middle = size / 2;

	switch (i) {
	case 0: return 4;
	case 1: return sign * (r > middle ? r - middle : middle - r);
	default: return sign * (r == 0 || r == size - 1 ? 0 : 1);
	}
}

static int place(int i) { return i == 1 ? size / 2 : 0; }

#define TEST(T, TYPE)                                                                    \
	{                                                                                \
		PAIR(T) in[3], low[3], high[3];                                          \
		for (int i = 0; i < 3; i++)                                              \
			in[i].value = (T)value(rank, i, 1), in[i].index = rank;          \
		MPI_Allreduce(in, low, 3, TYPE, MPI_MINLOC, WORLD);                      \
		for (int i = 0; i < 3; i++)                                              \
			in[i].value = (T)value(rank, i, -1);                             \
		MPI_Allreduce(in, high, 3, TYPE, MPI_MAXLOC, WORLD);                     \
		for (int i = 0; i < 3; i++) {                                            \
			CHECK_INT(low[i].index, place(i));                               \
			CHECK_INT(high[i].index, place(i));                              \
			CHECK(low[i].value == (T)value(place(i), i, 1));                 \
			CHECK(high[i].value == (T)value(place(i), i, -1));               \
		}                                                                        \
	}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	TEST(float, MPI_FLOAT_INT)
	TEST(double, MPI_DOUBLE_INT)
	TEST(long, MPI_LONG_INT)
	TEST(int, MPI_2INT)
	TEST(short, MPI_SHORT_INT)
	TEST(long double, MPI_LONG_DOUBLE_INT)
	return check_end("minmaxloc");
}
