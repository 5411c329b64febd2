/* Have all predefined C types the size of the C type, a name, and do they carry values? */
#include "check.h"
#include <complex.h>
#include <stdbool.h>
#include <stdint.h>
#include <wchar.h>

static void expect(MPI_Datatype type, const char *want, int bytes)
{
	char name[MPI_MAX_OBJECT_NAME], out[64], in[64] = {0};
	int n, length;

	MPI_Type_size(type, &n);
	CHECK_INT(n, bytes);
	MPI_Type_get_name(type, name, &length);
	if (strcmp(name, want) != 0)
		fprintf(stderr, "%s is called %s\n", want, name);
	CHECK(strcmp(name, want) == 0);
	CHECK_INT(length, strlen(want));
	for (int i = 0; i < 64; i++)
		out[i] = (char)(i * 7 + 1);
	MPI_Sendrecv(out, 2, type, rank, 1, in, 2, type, rank, 1, WORLD, MPI_STATUS_IGNORE);
	CHECK(memcmp(in, out, 2 * bytes) == 0);
}

#define EXPECT(T, TYPE) expect(TYPE, #TYPE, sizeof(T))

static void integers(void)
{
	EXPECT(char, MPI_CHAR);
	EXPECT(signed char, MPI_SIGNED_CHAR);
	EXPECT(unsigned char, MPI_UNSIGNED_CHAR);
	EXPECT(short, MPI_SHORT);
	EXPECT(unsigned short, MPI_UNSIGNED_SHORT);
	EXPECT(int, MPI_INT);
	EXPECT(unsigned, MPI_UNSIGNED);
	EXPECT(long, MPI_LONG);
	EXPECT(unsigned long, MPI_UNSIGNED_LONG);
	EXPECT(unsigned long long, MPI_UNSIGNED_LONG_LONG);
	EXPECT(wchar_t, MPI_WCHAR);
	EXPECT(bool, MPI_C_BOOL);
	EXPECT(char, MPI_BYTE);
	EXPECT(char, MPI_PACKED);
	EXPECT(MPI_Aint, MPI_AINT);
	EXPECT(MPI_Offset, MPI_OFFSET);
	EXPECT(MPI_Count, MPI_COUNT);
}

static void sized(void)
{
	EXPECT(int8_t, MPI_INT8_T);
	EXPECT(int16_t, MPI_INT16_T);
	EXPECT(int32_t, MPI_INT32_T);
	EXPECT(int64_t, MPI_INT64_T);
	EXPECT(uint8_t, MPI_UINT8_T);
	EXPECT(uint16_t, MPI_UINT16_T);
	EXPECT(uint32_t, MPI_UINT32_T);
	EXPECT(uint64_t, MPI_UINT64_T);
}

static void floats(void)
{
	int n;

	EXPECT(float, MPI_FLOAT);
	EXPECT(double, MPI_DOUBLE);
	EXPECT(double _Complex, MPI_C_DOUBLE_COMPLEX);
	MPI_Type_size(MPI_LONG_DOUBLE, &n);
	CHECK_INT(n, sizeof(long double));
	MPI_Type_size(MPI_C_LONG_DOUBLE_COMPLEX, &n);
	CHECK_INT(n, sizeof(long double _Complex));
	MPI_Type_size(MPI_C_FLOAT_COMPLEX, &n);
	CHECK_INT(n, sizeof(float _Complex));
	MPI_Type_size(MPI_2INT, &n);
	CHECK_INT(n, 8);
}

int main(int argc, char **argv)
{
	MPI_Datatype t;
	char name[MPI_MAX_OBJECT_NAME];
	int length;

	check_begin(&argc, &argv);
	integers();
	sized();
	floats();
	MPI_Type_contiguous(2, MPI_INT, &t);
	MPI_Type_get_name(t, name, &length);
	CHECK_INT(length, 0);
	MPI_Type_set_name(t, "a pair of ints");
	MPI_Type_get_name(t, name, &length);
	CHECK(strcmp(name, "a pair of ints") == 0);
	MPI_Type_free(&t);
	MPI_Type_match_size(MPI_TYPECLASS_INTEGER, 8, &t);
	MPI_Type_size(t, &length);
	CHECK_INT(length, 8);
	return check_end("type_predefined");
}
