/* Half precision numbers (IEEE 754 binary16) by their bits, for compilers that have no _Float16: gcc before 12, clang before 15 on x86-64.
 * Sums and products of float, rounded once more, are those of binary16: float has more than twice its digits. */
#ifndef AMPI_HALF_H
#define AMPI_HALF_H

#include <stdint.h>
#include <string.h>

static inline uint32_t half_bits_of(float f)
{
	uint32_t bits;
	memcpy(&bits, &f, sizeof bits);
	return bits;
}

static inline float half_to_float(uint16_t h)
{
	uint32_t sign = (uint32_t)(h & 0x8000) << 16, exponent = h >> 10 & 31, digits = h & 0x3ff, bits;
	if (exponent == 31)
		bits = 0x7f800000 | digits << 13;
	else if (exponent)
		bits = (exponent + 112) << 23 | digits << 13;
	else
		bits = half_bits_of((float)digits * 0x1p-24f);
	bits |= sign;
	float f;
	memcpy(&f, &bits, sizeof f);
	return f;
}

/* Rounds to nearest, ties to even. */
static inline uint16_t half_from_float(float f)
{
	uint32_t bits = half_bits_of(f), sign = bits >> 16 & 0x8000, size = bits & 0x7fffffff, h;
	if (size > 0x7f800000)
		h = 0x7e00 | (size >> 13 & 0x3ff); /* not a number */
	else if (size >= 0x477ff000)
		h = 0x7c00; /* 65520 and more */
	else if (size >= 0x38800000)
		h = (size + 0xfff + (size >> 13 & 1) - 0x38000000) >> 13;
	else /* below 2^-14 units are 2^-24, which is the last digit of numbers from 0.5 on */
		h = half_bits_of((f < 0 ? -f : f) + 0.5f) - half_bits_of(0.5f);
	return (uint16_t)(sign | h);
}

#endif
