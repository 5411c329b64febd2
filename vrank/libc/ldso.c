/* What programs get from the runtime that ld.so has loaded (methods fs and pip), where it differs from bind.c, and what
 * libraries of the worker get that work for ranks.
 *
 * Under fs a program allocates in its slice, and its libraries, which are the worker's, allocate in the worker's heap.
 * Either may free what the other has allocated: getline grows a buffer of malloc, programs free what strdup returns. So the
 * functions here look whose memory it is; the worker's own free and realloc are these too, as the executable's definitions
 * come before the C library's. */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "isomalloc/heap.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/life.h"

void vr_exit(int code);
void __libc_free(void *p);
void *__libc_realloc(void *p, size_t n);

int vr_ldso;

static uint64_t slices, room; /* of all ranks; no room until the job is there */

void vr_ldso_setup(void)
{
	slices = vr_job->slices;
	room = vr_job->layout.slice_size * (uint64_t)vr_job->ranks;
}

/* The rank in whose slice p lies, or NULL. */
static struct vr_rank *owner(const void *p)
{
	if (vr_likely((uint64_t)p - slices >= room))
		return NULL;
	return vr_rank_of((int32_t)(((uint64_t)p - slices) / vr_job->layout.slice_size));
}

void free(void *p)
{
	struct vr_rank *r = owner(p);
	if (vr_unlikely(r != NULL))
		iso_heap_free(r->heap, p);
	else
		__libc_free(p);
}

void *realloc(void *p, size_t n)
{
	struct vr_rank *r = owner(p);
	if (vr_likely(!r))
		return __libc_realloc(p, n);
	if (!n) {
		iso_heap_free(r->heap, p);
		return NULL;
	}
	void *q = iso_heap_realloc(r->heap, p, n);
	if (!q)
		errno = ENOMEM;
	return q;
}

/* exit() in a library of the worker, as Fortran's STOP calls it, ends the rank alone. */
void exit(int code)
{
	if (vr_current)
		vr_exit(code);
	((void (*)(int))dlsym(RTLD_NEXT, "exit"))(code);
	abort();
}

static void *ldso_realloc(void *p, size_t n)
{
	return p ? realloc(p, n) : vr_bind_malloc(n);
}

static void *ldso_reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		errno = ENOMEM;
		return NULL;
	}
	return ldso_realloc(p, bytes);
}

static size_t ldso_usable_size(void *p)
{
	struct vr_rank *r = owner(p);
	return r ? iso_heap_usable(r->heap, p) : malloc_usable_size(p);
}

const struct vr_binding vr_ldso_bindings[] = {
	{"free", free},
	{"cfree", free},
	{"realloc", ldso_realloc},
	{"reallocarray", ldso_reallocarray},
	{"malloc_usable_size", ldso_usable_size},
	{"__cxa_thread_atexit", vr_bind_cxa_thread_atexit},
	{"_dl_find_object", NULL},
	{"dl_iterate_phdr", NULL},
	{"dladdr", NULL},
	{"dlopen", NULL},
	{"dlclose", NULL},
	{"dlerror", NULL},
	{"dlsym", NULL},
	{"dlvsym", NULL},
	{0, 0},
};
