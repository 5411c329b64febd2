/* Switching the thread-local blocks of ranks, see tls.c. */
#ifndef VRANK_TLS_H
#define VRANK_TLS_H

#include "vrank/core/job.h"

/* Which rank's thread-local block is loaded, or NULL. */
extern struct vr_rank *vr_loaded;

/* So many bytes below the thread pointer are in use by the ranks of this worker, a multiple of 64: what a switch copies. The rest of the
 * TLS save area is for libraries that are opened at run time. */
extern uint64_t vr_tls_live;
const char *vr_tls_setup(void); /* NULL, or why thread-local variables cannot be kept apart */
uint64_t vr_tls_reserve_size(void);

/* An address that a program gave, as it is to be kept: thread-local variables get their place in the TLS save area. */
static inline void *vr_canonical(struct vr_rank *r, const void *p)
{
	uint64_t below = vr_pe->tp - (uint64_t)p;
	if (vr_unlikely(below - 1 < vr_job->layout.tls_size))
		return (char *)r - below;
	return (void *)p;
}

/* Where a canonical address is right now: the TLS save area of the loaded rank is stale. */
static inline void *vr_live(const void *p)
{
	if (vr_loaded && vr_unlikely((uint64_t)((char *)vr_loaded - (char *)p) - 1 < vr_job->layout.tls_size))
		return (char *)vr_pe->tp - ((char *)vr_loaded - (char *)p);
	return (void *)p;
}

/* Blocks are a few hundred bytes: whole vectors, without the call that memcpy would be. Sizes are multiples of 64. */
static inline void vr_tls_copy(char *to, const char *from, uint64_t n)
{
	typedef long long vec __attribute__((vector_size(16), aligned(16)));
	for (uint64_t i = 0; i < n; i += 64) {
		vec a = *(const vec *)(from + i), b = *(const vec *)(from + i + 16);
		vec c = *(const vec *)(from + i + 32), d = *(const vec *)(from + i + 48);
		*(vec *)(to + i) = a;
		*(vec *)(to + i + 16) = b;
		*(vec *)(to + i + 32) = c;
		*(vec *)(to + i + 48) = d;
	}
}

/* The PE thread: what the loaded rank has goes to its TLS save area; then nobody is loaded. */
static inline void vr_tls_unload(void)
{
	uint64_t n = vr_tls_live;
	if (vr_loaded)
		vr_tls_copy((char *)vr_loaded - n, (char *)vr_pe->tp - n, n);
	vr_loaded = NULL;
}

/* The PE thread: from here on the reserve holds rank r's variables. */
static inline void vr_tls_load(struct vr_rank *r)
{
	uint64_t n = vr_tls_live;
	vr_tls_unload();
	vr_tls_copy((char *)vr_pe->tp - n, (char *)r - n, n);
	vr_loaded = r;
}

#endif
