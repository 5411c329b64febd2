/* What programs get from the runtime that ld.so has loaded (methods fs and pip), where it differs from bind.c.
 *
 * Under fs a program allocates in its slice, and its libraries, which the worker's ranks share, in the heap of their C library. Either may
 * free what the other has allocated: getline grows a buffer of malloc, programs free what strdup returns. So the functions here look whose
 * memory it is. */
#include <errno.h>
#include <malloc.h>
#include <string.h>

#include "isomalloc/heap.h"
#include "vrank/core/job.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/bindings.h"
#include "vrank/libc/ldso.h"
#include "vrank/libc/shared_memory.h"

int vr_ldso;

/* The rank in whose slice p lies, or NULL. */
static struct vr_rank *owner(const void *p)
{
	uint64_t at = (uint64_t)p - vr_job->slices;
	if (vr_likely(at >= vr_job->layout.slice_size * (uint64_t)vr_job->ranks))
		return NULL;
	return vr_rank_of((int32_t)(at / vr_job->layout.slice_size));
}

void vr_ldso_free(void *p)
{
	struct vr_rank *r = owner(p);
	if (r)
		iso_heap_free(r->heap, p);
	else if (p)
		vr_shared_free(p);
}

static void *resize(struct vr_rank *r, void *p, size_t n)
{
	if (!n) {
		iso_heap_free(r->heap, p);
		return NULL;
	}
	void *q = iso_heap_realloc(r->heap, p, n);
	if (!q)
		vr_set_errno(ENOMEM);
	return q;
}

/* realloc of libraries, which allocate where they do. */
void *vr_ldso_library_realloc(void *p, size_t n)
{
	struct vr_rank *r = owner(p);
	return r ? resize(r, p, n) : vr_shared_realloc(p, n);
}

static void *ldso_realloc(void *p, size_t n)
{
	return p ? vr_ldso_library_realloc(p, n) : vr_bind_malloc(n);
}

static void *ldso_reallocarray(void *p, size_t n, size_t size)
{
	size_t bytes;
	if (__builtin_mul_overflow(n, size, &bytes)) {
		vr_set_errno(ENOMEM);
		return NULL;
	}
	return ldso_realloc(p, bytes);
}

static size_t ldso_usable_size(void *p)
{
	struct vr_rank *r = owner(p);
	return r ? iso_heap_usable(r->heap, p) : p ? vr_shared_usable(p) : 0;
}

const struct vr_binding vr_ldso_bindings[] = {
	{"free", vr_ldso_free},
	{"cfree", vr_ldso_free},
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
