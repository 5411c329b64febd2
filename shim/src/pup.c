/* What shim/include/pup_c.h declares. Weak, as a program may bring functions of its own with these names. */
#include "pup_c.h"

#include <string.h>

#include "pup.h"

#define WEAK __attribute__((weak))

static int32_t mode_of(const pup_er p)
{
	return ((const struct ampi_pup *)p)->mode;
}

WEAK int pup_isSizing(const pup_er p)
{
	return mode_of(p) == AMPI_PUP_SIZING;
}

WEAK int pup_isPacking(const pup_er p)
{
	return mode_of(p) == AMPI_PUP_PACKING;
}

WEAK int pup_isUnpacking(const pup_er p)
{
	return mode_of(p) == AMPI_PUP_UNPACKING;
}

WEAK int pup_isDeleting(const pup_er p)
{
	return ((const struct ampi_pup *)p)->deletes;
}

WEAK int pup_isUserlevel(const pup_er p)
{
	(void)p;
	return 0;
}

WEAK size_t pup_size(const pup_er p)
{
	return ((const struct ampi_pup *)p)->at;
}

static void pass(struct ampi_pup *p, void *data, size_t bytes)
{
	int fits = p->at <= p->size && bytes <= p->size - p->at;
	if (fits && p->mode == AMPI_PUP_PACKING)
		memcpy(p->data + p->at, data, bytes);
	else if (fits && p->mode == AMPI_PUP_UNPACKING)
		memcpy(data, p->data + p->at, bytes);
	p->at += bytes;
}

WEAK void pup_bytes(pup_er p, void *data, size_t bytes)
{
	pass(p, data, bytes);
}

#define DEFINE(NAME, TYPE)                                                                                                          \
	WEAK void pup_##NAME(pup_er p, TYPE *value)                                                                                   \
	{                                                                                                                             \
		pass(p, value, sizeof *value);                                                                                        \
	}                                                                                                                             \
	WEAK void pup_##NAME##s(pup_er p, TYPE *values, size_t n)                                                                     \
	{                                                                                                                             \
		pass(p, values, n * sizeof *values);                                                                                  \
	}
AMPIRUN_PUP_TYPES(DEFINE)

/* ---- Fortran: p is an INTEGER there, which functions only pass on by its address: that of the struct ---- */

#define IS_FORTRAN(NAME, WHAT)                                                                                                      \
	WEAK int fpup_is##NAME##_(const pup_er p)                                                                                     \
	{                                                                                                                             \
		return pup_is##WHAT(p);                                                                                               \
	}
IS_FORTRAN(sizing, Sizing)
IS_FORTRAN(packing, Packing)
IS_FORTRAN(unpacking, Unpacking)
IS_FORTRAN(deleting, Deleting)

#define DEFINE_FORTRAN(NAME, BYTES)                                                                                                 \
	WEAK void fpup_##NAME##_(pup_er p, void *value)                                                                               \
	{                                                                                                                             \
		pass(p, value, BYTES);                                                                                                \
	}                                                                                                                             \
	WEAK void fpup_##NAME##s_(pup_er p, void *values, const int *n)                                                               \
	{                                                                                                                             \
		pass(p, values, *n * (size_t)BYTES);                                                                                  \
	}
DEFINE_FORTRAN(char, 1)
DEFINE_FORTRAN(short, 2)
DEFINE_FORTRAN(int, 4)
DEFINE_FORTRAN(long, 8)
DEFINE_FORTRAN(real, 4)
DEFINE_FORTRAN(double, 8)
DEFINE_FORTRAN(complex, 8)
DEFINE_FORTRAN(logical, 4)

WEAK void fpup_bytes_(pup_er p, void *data, const int *bytes)
{
	pass(p, data, *bytes);
}
