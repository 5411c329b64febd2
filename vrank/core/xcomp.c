/* Permissions for parts of the registers, see xcomp.h. */
#include "vrank/core/xcomp.h"

#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vrank/core/job.h"

#define REQUEST 0x1023 /* ARCH_REQ_XCOMP_PERM, Linux 5.16 */

static _Atomic uint64_t granted; /* to this process */

static int ask(unsigned part)
{
	if (syscall(SYS_arch_prctl, REQUEST, (unsigned long)part))
		return -1;
	atomic_fetch_or(&granted, 1ul << part);
	return 0;
}

long vr_xcomp_ask(int code, unsigned long arg)
{
	if (code != REQUEST || arg > 63)
		return syscall(SYS_arch_prctl, code, arg);
	if (ask((unsigned)arg))
		return -1;
	atomic_fetch_or(&vr_job->xcomp, 1ul << arg);
	return 0;
}

int vr_xcomp_enter(void)
{
	uint64_t lacks = atomic_load_explicit(&vr_job->xcomp, memory_order_relaxed) & ~atomic_load(&granted);
	for (; vr_unlikely(lacks); lacks &= lacks - 1)
		if (ask((unsigned)__builtin_ctzl(lacks)))
			return -1;
	return 0;
}
