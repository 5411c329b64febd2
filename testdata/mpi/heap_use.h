/* What a rank's memory is used for, by mallinfo2 or, before glibc 2.33, mallinfo. */
#ifndef HEAP_USE_H
#define HEAP_USE_H

#include <malloc.h>

#if defined __GLIBC_PREREQ && __GLIBC_PREREQ(2, 33)
#define heap_info mallinfo2
#else
#define heap_info mallinfo
#endif

struct heap_use {
	long long heap;   /* bytes of the rank's heap */
	long long mapped; /* bytes of its mappings, and of what the library holds for all ranks */
};

static inline struct heap_use heap_use(void)
{
	struct heap_info m = heap_info();
	return (struct heap_use){(long long)m.uordblks, (long long)m.hblkhd};
}

#endif
