/* Thread-local variables of ranks: every rank's block is used at the same place, just below the thread pointer of the PE
 * thread, inside a reserve that the worker's own executable declares. The rank that ran last stays loaded until another
 * one runs; then its bytes go to the shadow in its slice. */
#include "core.h"


/* The linker puts this last in the executable's TLS segment, which ends at the thread pointer: vr_tls_setup checks. */
#define RESERVE 65536
__thread char vr_tls_reserve[RESERVE] __attribute__((aligned(64)));

struct vr_rank *vr_loaded;
uint64_t vr_tls_live;

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
