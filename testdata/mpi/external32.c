/* Has every predefined type in external32 the size and the bytes that the standard says (MPI 5.0 section 14.5.2): Fortran's, too, and in
 * derived types? */
#include "check.h"

#include <complex.h>
#include <stdint.h>
#include <stdbool.h>
#include <wchar.h>

#define MOST 32

/* One value, and its bytes. */
struct sample {
	MPI_Datatype type;
	int size; /* in external32 */
	char native[MOST];
	int native_size;
	const char *bytes;
};

#define SAMPLE(type, size, c_type, value, bytes) put((type), (size), &(c_type){value}, sizeof(c_type), (bytes))

static struct sample samples[100];
static int n;

static void put(MPI_Datatype type, int size, const void *value, int native_size, const char *bytes)
{
	if (type == MPI_DATATYPE_NULL)
		return; /* not on this machine */
	struct sample *s = &samples[n++];
	s->type = type;
	s->size = size;
	memcpy(s->native, value, native_size);
	s->native_size = native_size;
	s->bytes = bytes;
}

static void integers(void)
{
	SAMPLE(MPI_PACKED, 1, char, 'p', "p");
	SAMPLE(MPI_BYTE, 1, char, '\x80', "\x80");
	SAMPLE(MPI_CHAR, 1, char, 'c', "c");
	SAMPLE(MPI_SIGNED_CHAR, 1, signed char, -2, "\xfe");
	SAMPLE(MPI_UNSIGNED_CHAR, 1, unsigned char, 0xfd, "\xfd");
	SAMPLE(MPI_SHORT, 2, short, -2, "\xff\xfe");
	SAMPLE(MPI_UNSIGNED_SHORT, 2, unsigned short, 0x1234, "\x12\x34");
	SAMPLE(MPI_INT, 4, int, -2, "\xff\xff\xff\xfe");
	SAMPLE(MPI_UNSIGNED, 4, unsigned, 0x12345678, "\x12\x34\x56\x78");
	SAMPLE(MPI_LONG_LONG_INT, 8, long long, -2, "\xff\xff\xff\xff\xff\xff\xff\xfe");
	SAMPLE(MPI_LONG_LONG, 8, long long, 3, "\0\0\0\0\0\0\0\3");
	SAMPLE(MPI_UNSIGNED_LONG_LONG, 8, unsigned long long, 0x0102030405060708, "\1\2\3\4\5\6\7\10");
	SAMPLE(MPI_INT8_T, 1, int8_t, -3, "\xfd");
	SAMPLE(MPI_INT16_T, 2, int16_t, -3, "\xff\xfd");
	SAMPLE(MPI_INT32_T, 4, int32_t, -3, "\xff\xff\xff\xfd");
	SAMPLE(MPI_INT64_T, 8, int64_t, -3, "\xff\xff\xff\xff\xff\xff\xff\xfd");
	SAMPLE(MPI_UINT8_T, 1, uint8_t, 200, "\xc8");
	SAMPLE(MPI_UINT16_T, 2, uint16_t, 0x1234, "\x12\x34");
	SAMPLE(MPI_UINT32_T, 4, uint32_t, 0x12345678, "\x12\x34\x56\x78");
	SAMPLE(MPI_UINT64_T, 8, uint64_t, 0x0102030405060708, "\1\2\3\4\5\6\7\10");
	SAMPLE(MPI_AINT, 8, MPI_Aint, 0x0102030405060708, "\1\2\3\4\5\6\7\10");
	SAMPLE(MPI_COUNT, 8, MPI_Count, -2, "\xff\xff\xff\xff\xff\xff\xff\xfe");
	SAMPLE(MPI_OFFSET, 8, MPI_Offset, 0x1234, "\0\0\0\0\0\0\x12\x34");
	SAMPLE(MPI_C_BOOL, 1, bool, true, "\1");
}

static void floats(void)
{
	SAMPLE(MPI_FLOAT, 4, float, -2.5f, "\xc0\x20\0\0");
	SAMPLE(MPI_DOUBLE, 8, double, -2.5, "\xc0\4\0\0\0\0\0\0");
	SAMPLE(MPI_C_COMPLEX, 8, float complex, -2.5f + 1.0f * I, "\xc0\x20\0\0\x3f\x80\0\0");
	SAMPLE(MPI_C_FLOAT_COMPLEX, 8, float complex, -2.5f + 1.0f * I, "\xc0\x20\0\0\x3f\x80\0\0");
	SAMPLE(MPI_C_DOUBLE_COMPLEX, 16, double complex, 1.0 - 2.5 * I, "\x3f\xf0\0\0\0\0\0\0\xc0\4\0\0\0\0\0\0");
}

/* Types whose native size is another one. */
static void converted(void)
{
	SAMPLE(MPI_LONG, 4, long, -2, "\xff\xff\xff\xfe");
	SAMPLE(MPI_UNSIGNED_LONG, 4, unsigned long, 0xfffffffe, "\xff\xff\xff\xfe");
	SAMPLE(MPI_WCHAR, 2, wchar_t, 0x20ac, "\x20\xac");
	SAMPLE(MPI_LONG_DOUBLE, 16, long double, -2.5L, "\xc0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0");
	SAMPLE(MPI_C_LONG_DOUBLE_COMPLEX, 32, long double complex, -2.5L + 1.0L * I,
	       "\xc0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\x3f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

static void fortran(void)
{
	SAMPLE(MPI_CHARACTER, 1, char, 'f', "f");
	SAMPLE(MPI_LOGICAL, 4, int, 1, "\0\0\0\1");
	SAMPLE(MPI_INTEGER, 4, int, -2, "\xff\xff\xff\xfe");
	SAMPLE(MPI_REAL, 4, float, -2.5f, "\xc0\x20\0\0");
	SAMPLE(MPI_DOUBLE_PRECISION, 8, double, -2.5, "\xc0\4\0\0\0\0\0\0");
	SAMPLE(MPI_COMPLEX, 8, float complex, -2.5f + 1.0f * I, "\xc0\x20\0\0\x3f\x80\0\0");
	SAMPLE(MPI_DOUBLE_COMPLEX, 16, double complex, 1.0 - 2.5 * I, "\x3f\xf0\0\0\0\0\0\0\xc0\4\0\0\0\0\0\0");
	SAMPLE(MPI_INTEGER1, 1, int8_t, -3, "\xfd");
	SAMPLE(MPI_INTEGER2, 2, int16_t, -3, "\xff\xfd");
	SAMPLE(MPI_INTEGER4, 4, int32_t, -3, "\xff\xff\xff\xfd");
	SAMPLE(MPI_INTEGER8, 8, int64_t, -3, "\xff\xff\xff\xff\xff\xff\xff\xfd");
	SAMPLE(MPI_REAL4, 4, float, -2.5f, "\xc0\x20\0\0");
	SAMPLE(MPI_REAL8, 8, double, -2.5, "\xc0\4\0\0\0\0\0\0");
	SAMPLE(MPI_COMPLEX8, 8, float complex, -2.5f + 1.0f * I, "\xc0\x20\0\0\x3f\x80\0\0");
	SAMPLE(MPI_COMPLEX16, 16, double complex, 1.0 - 2.5 * I, "\x3f\xf0\0\0\0\0\0\0\xc0\4\0\0\0\0\0\0");
}

/* REAL*16 of gfortran is IEEE binary128 already. */
static void fortran_wide(void)
{
	SAMPLE(MPI_INTEGER16, 16, __int128, -3, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xfd");
	SAMPLE(MPI_REAL16, 16, __float128, -2.5, "\xc0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0");
	SAMPLE(MPI_CXX_BOOL, 1, bool, true, "\1");
	SAMPLE(MPI_CXX_FLOAT_COMPLEX, 8, float complex, -2.5f + 1.0f * I, "\xc0\x20\0\0\x3f\x80\0\0");
	SAMPLE(MPI_CXX_DOUBLE_COMPLEX, 16, double complex, 1.0 - 2.5 * I, "\x3f\xf0\0\0\0\0\0\0\xc0\4\0\0\0\0\0\0");
	SAMPLE(MPI_CXX_LONG_DOUBLE_COMPLEX, 32, long double complex, -2.5L + 1.0L * I,
	       "\xc0\0\x40\0\0\0\0\0\0\0\0\0\0\0\0\0\x3f\xff\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
}

static void wrong(const struct sample *s, const char *what)
{
	char name[MPI_MAX_OBJECT_NAME];
	int length;

	MPI_Type_get_name(s->type, name, &length);
	fprintf(stderr, "FAIL external32: %s: %s\n", name, what);
	MPI_Abort(WORLD, 1);
}

/* The x87 format has bytes that mean nothing. */
static int same_value(const struct sample *s, const char *a, const char *b)
{
	if (s->type == MPI_LONG_DOUBLE || s->native_size == 32)
		return !memcmp(a, b, 10) && (s->native_size < 32 || !memcmp(a + 16, b + 16, 10));
	return !memcmp(a, b, s->native_size);
}

static void one(const struct sample *s)
{
	char packed[2 * MOST] = {0}, twice[2 * MOST], back[2 * MOST] = {0};
	MPI_Aint size, at = 0;

	MPI_Pack_external_size("external32", 1, s->type, &size);
	if (size != s->size)
		wrong(s, "another size");
	memcpy(twice, s->native, s->native_size);
	memcpy(twice + s->native_size, s->native, s->native_size);
	MPI_Pack_external("external32", twice, 2, s->type, packed, sizeof packed, &at);
	if (at != 2 * s->size)
		wrong(s, "another size of two");
	if (memcmp(packed, s->bytes, s->size) || memcmp(packed + s->size, s->bytes, s->size))
		wrong(s, "other bytes");
	at = 0;
	MPI_Unpack_external("external32", packed, sizeof packed, &at, back, 2, s->type);
	if (at != 2 * s->size || !same_value(s, back, s->native) || !same_value(s, back + s->native_size, s->native))
		wrong(s, "comes back as another value");
}

/* All of them at once: a struct of two values each with gaps between them, in external32 without. */
static void all(void)
{
	static char native[100 * 3 * MOST], back[sizeof native], packed[sizeof native];
	int lengths[100];
	MPI_Aint places[100], size, want = 0, at = 0;
	MPI_Datatype types[100], t;

	for (int i = 0; i < n; i++) {
		lengths[i] = 2;
		places[i] = i * 3 * MOST;
		types[i] = samples[i].type;
		memcpy(native + places[i], samples[i].native, samples[i].native_size);
		memcpy(native + places[i] + samples[i].native_size, samples[i].native, samples[i].native_size);
		want += 2 * samples[i].size;
	}
	MPI_Type_create_struct(n, lengths, places, types, &t);
	MPI_Type_commit(&t);
	MPI_Pack_external_size("external32", 1, t, &size);
	CHECK_INT(size, want);
	MPI_Pack_external("external32", native, 1, t, packed, sizeof packed, &at);
	CHECK_INT(at, want);
	at = 0;
	MPI_Unpack_external("external32", packed, size, &at, back, 1, t);
	CHECK_INT(at, want);
	for (int i = 0; i < n; i++)
		if (!same_value(&samples[i], back + places[i] + samples[i].native_size, samples[i].native))
			wrong(&samples[i], "comes back from a struct as another value");
	MPI_Type_free(&t);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	integers();
	floats();
	converted();
	fortran();
	fortran_wide();
	for (int i = 0; i < n; i++)
		one(&samples[i]);
	all();
	return check_end("external32");
}
