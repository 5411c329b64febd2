/* Is every predefined operation right on every predefined C type that the standard allows it for? */
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

#define N 5

/* Values are small, so that sums and products of all ranks are exact in each type and wrap nowhere. */
static int operand(int r, int i) { return (r + i) % 3 + (i == 4 ? 0 : 1); }

static int fold(int op, int a, int b)
{
	switch (op) {
	case 0: return a > b ? a : b;
	case 1: return a < b ? a : b;
	case 2: return a + b;
	case 3: return a * b;
	case 4: return a && b;
	case 5: return a || b;
	case 6: return !a != !b;
	case 7: return a & b;
	case 8: return a | b;
	default: return a ^ b;
	}
}

enum { MAXMIN = 0x003, SUMPROD = 0x00c, LOGICAL = 0x070, BITWISE = 0x380 };

static MPI_Op ops[] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

static void fill_ops(void)
{
	MPI_Op all[] = {MPI_MAX, MPI_MIN, MPI_SUM, MPI_PROD, MPI_LAND, MPI_LOR, MPI_LXOR, MPI_BAND, MPI_BOR, MPI_BXOR};

	memcpy(ops, all, sizeof all);
}

/* What all ranks together give for element i; products of many ranks are kept small by using ones. */
static int input(int op, int r, int i)
{
	int v = operand(r, i);

	if (op == 3)
		return r < 3 ? v : 1;
	return op == 2 ? v : op < 2 ? v + r % 50 : op >= 7 ? (v * 37 + r) % 128 : v % 2 ? 1 : i == 4 ? 0 : (r + i) % 2;
}

static int wanted(int op, int i)
{
	int v = input(op, 0, i);

	if (size == 1 && op >= 4 && op <= 6)
		return v;
	for (int r = 1; r < size; r++)
		v = fold(op, v, input(op, r, i));
	return v;
}

#define TEST(T, TYPE, CLASSES)                                                                   \
	for (int op = 0; op < 10; op++) {                                                        \
		if (!((CLASSES) >> op & 1))                                                      \
			continue;                                                                \
		T in[N], out[N];                                                                 \
		for (int i = 0; i < N; i++)                                                      \
			in[i] = (T)input(op, rank, i), out[i] = (T)99;                           \
		MPI_Allreduce(in, out, N, TYPE, ops[op], WORLD);                                 \
		for (int i = 0; i < N; i++)                                                      \
			if (out[i] != (T)wanted(op, i)) {                                        \
				fprintf(stderr, "op %d on %s, element %d\n", op, #TYPE, i);      \
				CHECK(!"wrong result of a predefined operation");                \
			}                                                                        \
	}

#define INTEGERS (MAXMIN | SUMPROD | LOGICAL | BITWISE)
#define FLOATS (MAXMIN | SUMPROD)

static void integers(void)
{
	TEST(signed char, MPI_SIGNED_CHAR, INTEGERS)
	TEST(unsigned char, MPI_UNSIGNED_CHAR, INTEGERS)
	TEST(short, MPI_SHORT, INTEGERS)
	TEST(unsigned short, MPI_UNSIGNED_SHORT, INTEGERS)
	TEST(int, MPI_INT, INTEGERS)
	TEST(unsigned, MPI_UNSIGNED, INTEGERS)
	TEST(long, MPI_LONG, INTEGERS)
	TEST(unsigned long, MPI_UNSIGNED_LONG, INTEGERS)
	TEST(long long, MPI_LONG_LONG, INTEGERS)
	TEST(unsigned long long, MPI_UNSIGNED_LONG_LONG, INTEGERS)
}

static void sized_integers(void)
{
	TEST(int8_t, MPI_INT8_T, INTEGERS)
	TEST(int16_t, MPI_INT16_T, INTEGERS)
	TEST(int32_t, MPI_INT32_T, INTEGERS)
	TEST(int64_t, MPI_INT64_T, INTEGERS)
	TEST(uint8_t, MPI_UINT8_T, INTEGERS)
	TEST(uint16_t, MPI_UINT16_T, INTEGERS)
	TEST(uint32_t, MPI_UINT32_T, INTEGERS)
	TEST(uint64_t, MPI_UINT64_T, INTEGERS)
	TEST(MPI_Aint, MPI_AINT, INTEGERS)
	TEST(MPI_Offset, MPI_OFFSET, INTEGERS)
	TEST(MPI_Count, MPI_COUNT, INTEGERS)
}

static void floats(void)
{
	TEST(float, MPI_FLOAT, FLOATS)
	TEST(double, MPI_DOUBLE, FLOATS)
	TEST(long double, MPI_LONG_DOUBLE, FLOATS)
	TEST(float _Complex, MPI_C_FLOAT_COMPLEX, SUMPROD)
	TEST(float _Complex, MPI_C_COMPLEX, SUMPROD)
	TEST(double _Complex, MPI_C_DOUBLE_COMPLEX, SUMPROD)
	TEST(long double _Complex, MPI_C_LONG_DOUBLE_COMPLEX, SUMPROD)
}

static void logicals_and_bytes(void)
{
	TEST(bool, MPI_C_BOOL, LOGICAL)
	TEST(unsigned char, MPI_BYTE, BITWISE)
}

/* Complex products with imaginary parts: i^size turns round. */
static void complex_product(void)
{
	double _Complex in = rank == 0 ? 2 : I, out, want = 2;

	for (int r = 1; r < size; r++)
		want *= I;
	MPI_Allreduce(&in, &out, 1, MPI_C_DOUBLE_COMPLEX, MPI_PROD, WORLD);
	CHECK(cabs(out - want) < 1e-12);
}

/* Negative and large values survive. */
static void extremes(void)
{
	int8_t s = rank == 0 ? -128 : 1, sm;
	int64_t big = rank == 0 ? INT64_MIN : INT64_MAX, low, high;
	double d = rank == 0 ? -1e300 : 1e-300, dm;

	MPI_Allreduce(&s, &sm, 1, MPI_INT8_T, MPI_MIN, WORLD);
	CHECK_INT(sm, -128);
	MPI_Allreduce(&big, &low, 1, MPI_INT64_T, MPI_MIN, WORLD);
	CHECK(low == INT64_MIN);
	MPI_Allreduce(&big, &high, 1, MPI_INT64_T, MPI_MAX, WORLD);
	CHECK(high == (size == 1 ? INT64_MIN : INT64_MAX));
	MPI_Allreduce(&d, &dm, 1, MPI_DOUBLE, MPI_MIN, WORLD);
	CHECK(dm == -1e300);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	fill_ops();
	integers();
	sized_integers();
	floats();
	logicals_and_bytes();
	complex_product();
	extremes();
	return check_end("reduce_ops");
}
