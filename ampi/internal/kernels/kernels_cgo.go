// Package kernels lets tests call the inner loops of the predefined reduction operations without a job.
package kernels

/*
#cgo CFLAGS: -std=gnu11 -Wall -Wextra -I${SRCDIR}/../../..

#include "ampi/coll/reduce.h"
#include "ampi/half.h"
#include "vrank/p2p/type.h"

#define PLAIN(kind, T)                                \
	case VR_KIND_##kind:                          \
		if (set)                              \
			((T *)buf)[i] = (T)e->a;      \
		else                                  \
			e->a = (long long)((T *)buf)[i]; \
		return 1;

#define COMPLEX(kind, T)                                                      \
	case VR_KIND_##kind:                                                  \
		if (set) {                                                    \
			((T *)buf)[2 * i] = (T)e->a;                          \
			((T *)buf)[2 * i + 1] = (T)e->b;                      \
		} else {                                                      \
			e->a = (long long)((T *)buf)[2 * i];                  \
			e->b = (long long)((T *)buf)[2 * i + 1];              \
		}                                                             \
		return 1;

#define PAIR(kind, V, I)                                                      \
	case VR_KIND_##kind: {                                                \
		struct { V v; I i; } *p = buf;                                \
		if (set) {                                                    \
			p[i].v = (V)e->a;                                     \
			p[i].i = (I)e->b;                                     \
		} else {                                                      \
			e->a = (long long)p[i].v;                             \
			e->b = (long long)p[i].i;                             \
		}                                                             \
		return 1;                                                     \
	}

struct element {
	long long a, b;
};

// Halves are moved by their bits: not every compiler has a type for them.
static int halves_move(uint16_t *at, struct element *e, int complex, int set)
{
	if (set) {
		at[0] = half_from_float((float)e->a);
		if (complex)
			at[1] = half_from_float((float)e->b);
	} else {
		e->a = (long long)half_to_float(at[0]);
		if (complex)
			e->b = (long long)half_to_float(at[1]);
	}
	return 1;
}

// Write element i of a buffer of elements of a kind, or read it.
static int element_move(int kind, void *buf, int i, struct element *e, int set)
{
	switch (kind) {
		PLAIN(I8, int8_t) PLAIN(U8, uint8_t) PLAIN(I16, int16_t) PLAIN(U16, uint16_t) PLAIN(I32, int32_t) PLAIN(U32, uint32_t)
		PLAIN(I64, int64_t) PLAIN(U64, uint64_t) PLAIN(F32, float) PLAIN(F64, double) PLAIN(F80, long double)
		PLAIN(F128, _Float128) PLAIN(BOOL8, uint8_t) PLAIN(L8, int8_t) PLAIN(L16, int16_t) PLAIN(L32, int32_t) PLAIN(L64, int64_t)
		PLAIN(I128, __int128) PLAIN(L128, __int128) PLAIN(CHAR, char) PLAIN(BYTE, uint8_t)
		COMPLEX(C32, float) COMPLEX(C64, double) COMPLEX(C80, long double) COMPLEX(C128, _Float128)
		PAIR(F32_I32, float, int32_t) PAIR(F64_I32, double, int32_t) PAIR(I64_I32, int64_t, int32_t) PAIR(I32_I32, int32_t, int32_t)
		PAIR(I16_I32, int16_t, int32_t) PAIR(F80_I32, long double, int32_t) PAIR(F32_F32, float, float) PAIR(F64_F64, double, double)
	case VR_KIND_F16:
		return halves_move((uint16_t *)buf + i, e, 0, set);
	case VR_KIND_C16:
		return halves_move((uint16_t *)buf + 2 * i, e, 1, set);
	}
	return 0;
}

// The elements of in are combined into those of inout, in memory as a program would have it; 0 when the kernel is missing.
static int combine(unsigned long long op, int kind, struct element *in, struct element *inout, int n)
{
	static _Alignas(64) char a[65536], b[65536];
	ampi_kernel *kernel = ampi_kernel_find(op, kind);
	if (!kernel)
		return 0;
	for (int i = 0; i < n; i++)
		if (!element_move(kind, a, i, &in[i], 1) || !element_move(kind, b, i, &inout[i], 1))
			return 0;
	kernel(a, b, n);
	for (int i = 0; i < n; i++)
		element_move(kind, b, i, &inout[i], 0);
	return 1;
}
*/
import "C"

import _ "ampirun/ampi" // its C files hold the kernels

// Element is one element of any kind: a number in A; a complex one with its imaginary part in B; a pair with its index in B.
type Element struct{ A, B int64 }

// maxElements is how many of the largest elements fit the buffers of one call.
const maxElements = 2048

// The kinds of elements, VR_KIND_ in vrank/p2p/type.h.
const (
	I8, U8, I16, U16     = C.VR_KIND_I8, C.VR_KIND_U8, C.VR_KIND_I16, C.VR_KIND_U16
	I32, U32, I64, U64   = C.VR_KIND_I32, C.VR_KIND_U32, C.VR_KIND_I64, C.VR_KIND_U64
	I128, L128, C16      = C.VR_KIND_I128, C.VR_KIND_L128, C.VR_KIND_C16
	F16, F32, F64        = C.VR_KIND_F16, C.VR_KIND_F32, C.VR_KIND_F64
	F80, F128            = C.VR_KIND_F80, C.VR_KIND_F128
	C32, C64, C80, C128  = C.VR_KIND_C32, C.VR_KIND_C64, C.VR_KIND_C80, C.VR_KIND_C128
	Bool, Char, Byte     = C.VR_KIND_BOOL8, C.VR_KIND_CHAR, C.VR_KIND_BYTE
	L8, L16, L32, L64    = C.VR_KIND_L8, C.VR_KIND_L16, C.VR_KIND_L32, C.VR_KIND_L64
	F32I32, F64I32       = C.VR_KIND_F32_I32, C.VR_KIND_F64_I32
	I64I32, I32I32       = C.VR_KIND_I64_I32, C.VR_KIND_I32_I32
	I16I32, F80I32       = C.VR_KIND_I16_I32, C.VR_KIND_F80_I32
	F32F32, F64F64, Last = C.VR_KIND_F32_F32, C.VR_KIND_F64_F64, C.VR_KIND_COUNT
)

// Combine sets inout[i] = in[i] op inout[i], with op a handle of the standard ABI. It tells whether there is such a kernel.
func Combine(op uint64, kind int, in, inout []Element) bool {
	if len(in) != len(inout) || len(in) > maxElements {
		panic("BUG: kernels: vectors that differ or are too long")
	}
	n := len(in)
	a, b := make([]C.struct_element, n+1), make([]C.struct_element, n+1)
	for i := range n {
		a[i] = C.struct_element{C.longlong(in[i].A), C.longlong(in[i].B)}
		b[i] = C.struct_element{C.longlong(inout[i].A), C.longlong(inout[i].B)}
	}
	ok := C.combine(C.ulonglong(op), C.int(kind), &a[0], &b[0], C.int(n)) != 0
	for i := range n {
		inout[i] = Element{int64(b[i].a), int64(b[i].b)}
	}
	return ok
}
