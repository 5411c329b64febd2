/* Memory that libraries allocate which the ranks of a worker share (method fs). It belongs to the worker, so a rank that refers to it stays
 * for as long as it does. */
#ifndef VRANK_LIBC_SHARED_MEMORY_H
#define VRANK_LIBC_SHARED_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct vr_rank;

/* The C library that the others allocate with; its own functions by address. PE stack, once, before others are loaded. */
struct vr_shared_heap {
	uint64_t malloc, calloc, realloc, free, memalign, usable;
};
void vr_shared_setup(const struct vr_shared_heap *heap);

/* PE stack: a library lies at [lo, hi). The name is kept. */
void vr_shared_library(const char *name, uint64_t lo, uint64_t hi);

/* What those libraries get in place of the C library's functions; any thread. Memory that they get while a rank runs is noted. */
void *vr_shared_malloc(size_t n);
void *vr_shared_calloc(size_t n, size_t size);
void *vr_shared_realloc(void *p, size_t n);
void *vr_shared_memalign(size_t align, size_t n);
int vr_shared_posix_memalign(void **out, size_t align, size_t n);
void vr_shared_free(void *p);
size_t vr_shared_usable(void *p);

/* The same for memory that may be in a rank's slice: ldso.c. */
void vr_ldso_free(void *p);
void *vr_ldso_library_realloc(void *p, size_t n);

/* The stream that all ranks of the worker print to, its libraries' stdout, and their setvbuf. PE stack, once. */
void vr_shared_streams(FILE **out, uint64_t setvbuf);

/* Why rank r, which is about to leave, has to stay for now; or NULL: it refers to no memory of libraries, and what it has printed was passed on.
 * What was noted for it and it does not refer to is the library's own business from then on. PE stack, r at rest and not loaded; fd is the
 * region's, from base on. The text holds until the next call. */
const char *vr_shared_hold(struct vr_rank *r, int fd, uint64_t base);

#endif
