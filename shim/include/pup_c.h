/* The C interface of Charm++'s packing functions, as far as functions of AMPI_Register_pup need it. One function says what there is to
 * save; it is called to add up sizes, to pack, and to unpack. */
#ifndef AMPIRUN_PUP_C_H
#define AMPIRUN_PUP_C_H

#include <stddef.h>
#include <stdint.h>

#if defined(__cplusplus)
extern "C" {
#endif

typedef void *pup_er;

int pup_isSizing(const pup_er p);
int pup_isPacking(const pup_er p);
int pup_isUnpacking(const pup_er p);
int pup_isDeleting(const pup_er p); /* while it packs for a move: what is packed may be freed */
int pup_isUserlevel(const pup_er p); /* always 0: that is of Charm++'s own checkpoints */
size_t pup_size(const pup_er p); /* bytes so far */

void pup_bytes(pup_er p, void *data, size_t bytes);

/* pup_int(p, &i) and pup_ints(p, array, n), and the same of other types. */
#define AMPIRUN_PUP_TYPES(PUP)                                                                                                      \
	PUP(char, char) PUP(short, short) PUP(int, int) PUP(long, long) PUP(uchar, unsigned char) PUP(ushort, unsigned short)         \
	PUP(uint, unsigned int) PUP(ulong, unsigned long) PUP(float, float) PUP(double, double) PUP(pointer, void *)                  \
	PUP(int8, int8_t) PUP(int16, int16_t) PUP(int32, int32_t) PUP(int64, int64_t) PUP(uint8, uint8_t) PUP(uint16, uint16_t)       \
	PUP(uint32, uint32_t) PUP(uint64, uint64_t) PUP(size_t, size_t)
#define AMPIRUN_PUP_DECLARE(NAME, TYPE)                                                                                             \
	void pup_##NAME(pup_er p, TYPE *value);                                                                                       \
	void pup_##NAME##s(pup_er p, TYPE *values, size_t n);
AMPIRUN_PUP_TYPES(AMPIRUN_PUP_DECLARE)
#undef AMPIRUN_PUP_DECLARE

#if defined(__cplusplus)
}
#endif

#endif
