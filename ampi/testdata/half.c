/* Compares half.h with the compiler's _Float16, for every number and for floats around every rounding; prints what differs. */
#include "ampi/half.h"

#include <stdio.h>

static uint16_t bits_of(_Float16 h)
{
	uint16_t bits;
	memcpy(&bits, &h, sizeof bits);
	return bits;
}

static _Float16 of_bits(uint16_t bits)
{
	_Float16 h;
	memcpy(&h, &bits, sizeof h);
	return h;
}

static int is_nan(uint16_t h)
{
	return (h & 0x7fff) > 0x7c00;
}

int main(void)
{
	int bad = 0;
	for (uint32_t i = 0; i < 0x10000; i++) {
		float want = (float)of_bits((uint16_t)i), got = half_to_float((uint16_t)i);
		if (!is_nan((uint16_t)i) && half_bits_of(want) != half_bits_of(got) && ++bad < 10)
			printf("half %#x is %a, not %a\n", i, want, got);
	}
	for (uint64_t bits = 0; bits <= UINT32_MAX; bits += bits % 0x1000 == 0 || bits % 0x1000 == 0xfff ? 1 : 0xffe) {
		uint32_t b = (uint32_t)bits;
		float f;
		memcpy(&f, &b, sizeof f);
		uint16_t want = bits_of((_Float16)f), got = half_from_float(f);
		if (want != got && !(is_nan(want) && is_nan(got)) && ++bad < 10)
			printf("%a is half %#x, not %#x\n", f, want, got);
	}
	return bad != 0;
}
