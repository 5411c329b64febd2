/* Thread-local variables of ranks: every rank's block is used at the same place, just below the thread pointer of the PE
 * thread, inside a reserve that the worker's own executable declares. The rank that ran last stays loaded until another
 * one runs; then its bytes go to the shadow in its slice. */
#include "core.h"

#include <string.h>

/* The linker puts this last in the executable's TLS segment, which ends at the thread pointer: vr_tls_setup checks. */
#define RESERVE 65536
__thread char vr_tls_reserve[RESERVE] __attribute__((aligned(64)));

struct vr_rank *vr_loaded;

static inline char *thread_pointer(void)
{
	char *tp;
	__asm__("movq %%fs:0x10, %0" : "=r"(tp)); /* pthread_self(), which glibc keeps at the thread pointer */
	return tp;
}

uint64_t vr_tls_reserve_size(void)
{
	return RESERVE;
}

const char *vr_tls_setup(void)
{
	vr_pe->tp = (uint64_t)thread_pointer();
	if (vr_tls_reserve + RESERVE != (char *)vr_pe->tp)
		return "the reserve for thread-local variables does not end at the thread pointer";
	return NULL;
}

/* Blocks are a few hundred bytes: whole vectors, without the call that memcpy would be. Sizes are multiples of 64. */
static inline void copy(char *to, const char *from, uint64_t n)
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

void vr_tls_unload(void)
{
	uint64_t n = vr_job->layout.tls_size;
	if (vr_loaded)
		copy(vr_loaded->tls, (char *)vr_pe->tp - n, n);
	vr_loaded = NULL;
}

void vr_tls_load(struct vr_rank *r)
{
	uint64_t n = vr_job->layout.tls_size;
	vr_tls_unload();
	copy((char *)vr_pe->tp - n, r->tls, n);
	vr_loaded = r;
}
