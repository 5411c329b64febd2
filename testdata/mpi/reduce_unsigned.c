/* Are unsigned types unsigned in maximum and minimum? */
#include "check.h"
#include <stdint.h>

#define TEST(T, TYPE)                                                       \
	{                                                                   \
		T in = rank == 0 ? (T)-1 : 1, high, low;                    \
		MPI_Allreduce(&in, &high, 1, TYPE, MPI_MAX, WORLD);         \
		MPI_Allreduce(&in, &low, 1, TYPE, MPI_MIN, WORLD);          \
		CHECK(high == (T)-1);                                       \
		CHECK(low == (size == 1 ? (T)-1 : 1));                      \
	}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	TEST(unsigned char, MPI_UNSIGNED_CHAR)
	TEST(unsigned short, MPI_UNSIGNED_SHORT)
	TEST(unsigned, MPI_UNSIGNED)
	TEST(unsigned long, MPI_UNSIGNED_LONG)
	TEST(unsigned long long, MPI_UNSIGNED_LONG_LONG)
	TEST(uint8_t, MPI_UINT8_T)
	TEST(uint16_t, MPI_UINT16_T)
	TEST(uint32_t, MPI_UINT32_T)
	TEST(uint64_t, MPI_UINT64_T)
	return check_end("reduce_unsigned");
}
