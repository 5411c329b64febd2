/* Checks of a buffer, its count and its datatype that all calls share. */
#ifndef AMPI_BUFFER_H
#define AMPI_BUFFER_H

#include "ampi/ampi.h"

/* Addresses that no object has: the null pointer, and the small numbers that are constants of MPI. */
#define AMPI_FIRST_ADDRESS 4096

/* A type with absolute addresses is used with MPI_BOTTOM, which is the null pointer; its data are elsewhere. */
static inline int ampi_is_no_buffer(const void *buf, int64_t count, const struct vr_type *t)
{
	return vr_unlikely((uint64_t)buf < AMPI_FIRST_ADDRESS) && count && t->size && (uint64_t)buf + (uint64_t)t->true_lb < AMPI_FIRST_ADDRESS;
}

/* Less than no elements, or more bytes than an address space has? One branch for what is ordinary. */
static inline int ampi_is_no_count(int64_t count, const struct vr_type *t)
{
	int64_t bytes;
	return vr_unlikely(((uint64_t)count | (uint64_t)t->size) >> 31) && (count < 0 || __builtin_mul_overflow(count, t->size, &bytes));
}

#endif
