/* The inner loops of type.c: many blocks of one size, moved between places that lie strides apart or that a table lists. The
 * sizes that programs use most have a loop of their own, which the compiler turns into single moves. */
#ifndef VRANK_TYPE_COPY_H
#define VRANK_TYPE_COPY_H

#include <stdint.h>
#include <string.h>

#define VR_COPY_SIZES(DO) DO(1) DO(2) DO(4) DO(6) DO(8) DO(12) DO(16) DO(20) DO(24) DO(28) DO(32) DO(40) DO(48) DO(56) DO(64)

/* Beyond this the C library's memcpy is worth its call. */
#define VR_COPY_INLINE 256

/* A block of any size. Both ends of the last move may lie inside of the one before: it moves the same bytes again. */
static inline void vr_copy_block(char *to, const char *from, int64_t n)
{
	if (n >= 16) {
		if (n > VR_COPY_INLINE) {
			memcpy(to, from, n);
			return;
		}
		for (int64_t i = 0; i < n - 16; i += 16)
			memcpy(to + i, from + i, 16);
		memcpy(to + n - 16, from + n - 16, 16);
	} else if (n >= 8) {
		memcpy(to, from, 8);
		memcpy(to + n - 8, from + n - 8, 8);
	} else if (n >= 4) {
		memcpy(to, from, 4);
		memcpy(to + n - 4, from + n - 4, 4);
	} else {
		for (int64_t i = 0; i < n; i++)
			to[i] = from[i];
	}
}

#define STRIDED(N)                                                                                                                  \
	static inline void vr_copy_strided_##N(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t count)         \
	{                                                                                                                             \
		_Pragma("GCC unroll 4") for (int64_t i = 0; i < count; i++, to += to_step, from += from_step) memcpy(to, from, N);    \
	}
VR_COPY_SIZES(STRIDED)
#undef STRIDED

/* to[i * to_step] = from[i * from_step] for count blocks of `bytes` bytes. */
static inline void vr_copy_strided(char *to, int64_t to_step, const char *from, int64_t from_step, int64_t bytes, int64_t count)
{
	switch (bytes) {
#define CASE(N)                                                                                                                     \
	case N:                                                                                                                       \
		vr_copy_strided_##N(to, to_step, from, from_step, count);                                                             \
		return;
		VR_COPY_SIZES(CASE)
#undef CASE
	}
	for (int64_t i = 0; i < count; i++, to += to_step, from += from_step)
		vr_copy_block(to, from, bytes);
}

#define LISTED(N)                                                                                                                   \
	static inline void vr_gather_##N(char *to, const char *from, const int64_t *disp, int64_t count)                              \
	{                                                                                                                             \
		_Pragma("GCC unroll 4") for (int64_t i = 0; i < count; i++) memcpy(to + i * N, from + disp[i], N);                    \
	}                                                                                                                             \
	static inline void vr_scatter_##N(char *to, const char *from, const int64_t *disp, int64_t count)                             \
	{                                                                                                                             \
		_Pragma("GCC unroll 4") for (int64_t i = 0; i < count; i++) memcpy(to + disp[i], from + i * N, N);                    \
	}
VR_COPY_SIZES(LISTED)
#undef LISTED

/* The i-th of count blocks comes from, or goes to, from[disp[i]] or to[disp[i]]; on the other side they lie without gaps. */
static inline void vr_gather(char *to, const char *from, const int64_t *disp, int64_t bytes, int64_t count)
{
	switch (bytes) {
#define CASE(N)                                                                                                                     \
	case N:                                                                                                                       \
		vr_gather_##N(to, from, disp, count);                                                                                 \
		return;
		VR_COPY_SIZES(CASE)
#undef CASE
	}
	for (int64_t i = 0; i < count; i++)
		vr_copy_block(to + i * bytes, from + disp[i], bytes);
}

static inline void vr_scatter(char *to, const char *from, const int64_t *disp, int64_t bytes, int64_t count)
{
	switch (bytes) {
#define CASE(N)                                                                                                                     \
	case N:                                                                                                                       \
		vr_scatter_##N(to, from, disp, count);                                                                                \
		return;
		VR_COPY_SIZES(CASE)
#undef CASE
	}
	for (int64_t i = 0; i < count; i++)
		vr_copy_block(to + disp[i], from + i * bytes, bytes);
}

#endif
