/* Inner loops of the predefined operations, one per operation and kind of element (MPI 5.0 section 6.9.2). */
#include "ampi/coll/reduce.h"

#include <complex.h>
#include <stdbool.h>
#include <stddef.h>

#include "ampi/half.h"
#include "vrank/p2p/type.h"

/* Loops are simple so that the compiler turns them into vector code, which -O2 does not do for unknown lengths. */
#pragma GCC optimize("O3")

#define KERNEL(name, T, expression)                                                                                                 \
	static void name(const void *in_, void *inout_, int64_t n)                                                                    \
	{                                                                                                                             \
		const T *restrict in = in_;                                                                                           \
		T *restrict inout = inout_;                                                                                           \
		for (int64_t i = 0; i < n; i++) {                                                                                     \
			T a = in[i], b = inout[i];                                                                                    \
			inout[i] = expression;                                                                                        \
		}                                                                                                                     \
	}

#define ARITHMETIC(k, T)                                                                                                            \
	KERNEL(sum_##k, T, a + b)                                                                                                     \
	KERNEL(prod_##k, T, a *b)

#define ORDER(k, T)                                                                                                                 \
	KERNEL(min_##k, T, a < b ? a : b)                                                                                             \
	KERNEL(max_##k, T, a > b ? a : b)

#define LOGIC(k, T)                                                                                                                 \
	KERNEL(land_##k, T, (a != 0) & (b != 0))                                                                                      \
	KERNEL(lor_##k, T, (a != 0) | (b != 0))                                                                                       \
	KERNEL(lxor_##k, T, (a != 0) ^ (b != 0))

#define BITS(k, T)                                                                                                                  \
	KERNEL(band_##k, T, a &b)                                                                                                     \
	KERNEL(bor_##k, T, a | b)                                                                                                     \
	KERNEL(bxor_##k, T, a ^ b)

/* Sums of signed integers wrap, as hardware does, instead of being undefined: they are done unsigned. */
#define INTEGER(k, T, U)                                                                                                            \
	KERNEL(sum_##k, T, (T)((U)a + (U)b))                                                                                          \
	KERNEL(prod_##k, T, (T)((U)a * (U)b))                                                                                         \
	ORDER(k, T)                                                                                                                   \
	LOGIC(k, T)                                                                                                                   \
	BITS(k, T)

/* The standard has no logic of floating-point numbers; MPICH has, and programs use it. */
#define FLOATING(k, T)                                                                                                              \
	ARITHMETIC(k, T)                                                                                                              \
	ORDER(k, T)                                                                                                                   \
	LOGIC(k, T)

/* The smaller index wins a tie. */
#define PAIR_OF(k, V, I)                                                                                                            \
	struct pair_##k {                                                                                                             \
		V v;                                                                                                                  \
		I i;                                                                                                                  \
	};                                                                                                                            \
	KERNEL(minloc_##k, struct pair_##k, a.v < b.v || (a.v == b.v && a.i < b.i) ? a : b)                                           \
	KERNEL(maxloc_##k, struct pair_##k, a.v > b.v || (a.v == b.v && a.i < b.i) ? a : b)

#ifdef __FLT16_MANT_DIG__
#define HALF FLOATING(F16, _Float16) ARITHMETIC(C16, _Float16 _Complex)
#else
#define ONE_HALF(k, expression) KERNEL(k##_F16, uint16_t, half_from_float(expression))
#define HALF_OF(k, operator_) ONE_HALF(k, half_to_float(a) operator_ half_to_float(b))
#define HALF_LOGIC(k, operator_) ONE_HALF(k, (half_to_float(a) != 0) operator_ (half_to_float(b) != 0))
#define HALF                                                                                                                        \
	struct complex_half {                                                                                                         \
		uint16_t re, im;                                                                                                      \
	};                                                                                                                            \
	static float _Complex widened(struct complex_half z) { return half_to_float(z.re) + I * half_to_float(z.im); }                \
	static struct complex_half rounded(float _Complex z)                                                                          \
	{                                                                                                                             \
		return (struct complex_half){half_from_float(crealf(z)), half_from_float(cimagf(z))};                                 \
	}                                                                                                                             \
	HALF_OF(sum, +)                                                                                                               \
	HALF_OF(prod, *)                                                                                                              \
	KERNEL(min_F16, uint16_t, half_to_float(a) < half_to_float(b) ? a : b)                                                        \
	KERNEL(max_F16, uint16_t, half_to_float(a) > half_to_float(b) ? a : b)                                                        \
	HALF_LOGIC(land, &)                                                                                                           \
	HALF_LOGIC(lor, |)                                                                                                            \
	HALF_LOGIC(lxor, ^)                                                                                                           \
	KERNEL(sum_C16, struct complex_half, rounded(widened(a) + widened(b)))                                                        \
	KERNEL(prod_C16, struct complex_half, rounded(widened(a) * widened(b)))
#endif

INTEGER(I8, int8_t, uint32_t)
INTEGER(U8, uint8_t, uint32_t)
INTEGER(I16, int16_t, uint32_t)
INTEGER(U16, uint16_t, uint32_t)
INTEGER(I32, int32_t, uint32_t)
INTEGER(U32, uint32_t, uint32_t)
INTEGER(I64, int64_t, uint64_t)
INTEGER(U64, uint64_t, uint64_t)
INTEGER(I128, __int128, unsigned __int128)
HALF
FLOATING(F32, float)
FLOATING(F64, double)
FLOATING(F80, long double)
FLOATING(F128, _Float128)
ARITHMETIC(C32, float _Complex)
ARITHMETIC(C64, double _Complex)
ARITHMETIC(C80, long double _Complex)
ARITHMETIC(C128, _Complex _Float128)
LOGIC(BOOL8, uint8_t) /* not bool: whatever byte the program has there is read as C reads it */
BITS(BYTE, uint8_t)
PAIR_OF(F32_I32, float, int32_t)
PAIR_OF(F64_I32, double, int32_t)
PAIR_OF(I64_I32, int64_t, int32_t)
PAIR_OF(I32_I32, int32_t, int32_t)
PAIR_OF(I16_I32, int16_t, int32_t)
PAIR_OF(F80_I32, long double, int32_t)
PAIR_OF(F32_F32, float, float)
PAIR_OF(F64_F64, double, double)

#define SET_ARITHMETIC(k) [AMPI_OP_SUM] = sum_##k, [AMPI_OP_PROD] = prod_##k
#define SET_ORDER(k) [AMPI_OP_MIN] = min_##k, [AMPI_OP_MAX] = max_##k
#define SET_LOGIC(k) [AMPI_OP_LAND] = land_##k, [AMPI_OP_LOR] = lor_##k, [AMPI_OP_LXOR] = lxor_##k
#define SET_BITS(k) [AMPI_OP_BAND] = band_##k, [AMPI_OP_BOR] = bor_##k, [AMPI_OP_BXOR] = bxor_##k
#define SET_INTEGER(k) [VR_KIND_##k] = {SET_ARITHMETIC(k), SET_ORDER(k), SET_LOGIC(k), SET_BITS(k)}
#define SET_FLOATING(k) [VR_KIND_##k] = {SET_ARITHMETIC(k), SET_ORDER(k), SET_LOGIC(k)}
#define SET_COMPLEX(k) [VR_KIND_##k] = {SET_ARITHMETIC(k)}
#define SET_PAIR(k) [VR_KIND_##k] = {[AMPI_OP_MINLOC] = minloc_##k, [AMPI_OP_MAXLOC] = maxloc_##k}

/* Fortran's LOGICAL is an integer in which 0 is false. */
static ampi_kernel *const kernels[VR_KIND_COUNT][AMPI_OP_COUNT] = {
	SET_INTEGER(I8), SET_INTEGER(U8), SET_INTEGER(I16), SET_INTEGER(U16), SET_INTEGER(I32), SET_INTEGER(U32), SET_INTEGER(I64),
	SET_INTEGER(U64), SET_INTEGER(I128), SET_FLOATING(F16), SET_FLOATING(F32), SET_FLOATING(F64), SET_FLOATING(F80), SET_FLOATING(F128),
	SET_COMPLEX(C16), SET_COMPLEX(C32), SET_COMPLEX(C64), SET_COMPLEX(C80), SET_COMPLEX(C128),
	[VR_KIND_BOOL8] = {SET_LOGIC(BOOL8)},
	[VR_KIND_L8] = {SET_LOGIC(I8)}, [VR_KIND_L16] = {SET_LOGIC(I16)},
	[VR_KIND_L32] = {SET_LOGIC(I32)}, [VR_KIND_L64] = {SET_LOGIC(I64)}, [VR_KIND_L128] = {SET_LOGIC(I128)},
	[VR_KIND_BYTE] = {SET_BITS(BYTE)},
	SET_PAIR(F32_I32), SET_PAIR(F64_I32), SET_PAIR(I64_I32), SET_PAIR(I32_I32), SET_PAIR(I16_I32), SET_PAIR(F80_I32),
	SET_PAIR(F32_F32), SET_PAIR(F64_F64),
};

/* Handles of the standard ABI, from MPI_OP_NULL on. */
#define FIRST_OP 0x20
static const struct {
	const char *name;
	int index; /* 1 + enum ampi_op_index; 0 for none */
} ops[] = {
#define OP(handle, what) [handle - FIRST_OP] = {"MPI_" #what, 1 + AMPI_OP_##what}
	OP(0x21, SUM), OP(0x22, MIN), OP(0x23, MAX), OP(0x24, PROD), OP(0x28, BAND), OP(0x29, BOR), OP(0x2a, BXOR), OP(0x30, LAND),
	OP(0x31, LOR), OP(0x32, LXOR), OP(0x38, MINLOC), OP(0x39, MAXLOC),
	[0x3c - FIRST_OP] = {"MPI_REPLACE", 0}, [0x3d - FIRST_OP] = {"MPI_NO_OP", 0}, /* for one-sided calls only */
};

const char *ampi_op_name(uint64_t op)
{
	uint64_t i = op - FIRST_OP;
	return i < sizeof ops / sizeof *ops ? ops[i].name : NULL;
}

ampi_kernel *ampi_kernel_find(uint64_t op, uint32_t kind)
{
	uint64_t i = op - FIRST_OP;
	if (i >= sizeof ops / sizeof *ops || !ops[i].index || kind >= VR_KIND_COUNT)
		return NULL;
	return kernels[kind][ops[i].index - 1];
}
