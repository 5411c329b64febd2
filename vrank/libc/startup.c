/* What has to be settled in a process before it has a second thread. */
#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "vrank/core/compat.h"

/* From asm/prctl.h of Linux 6.6. */
#define SHSTK_DISABLE 0x5002
#define SHSTK_STATUS 0x5005
#define SHSTK_SHSTK 1ul

static void refuse(const char *text, size_t size)
{
	(void)!write(2, text, size);
	_exit(2);
}

/* Filters that were made before there was clone3 may answer EPERM to it instead of ENOSYS, as containers did for a time. The C library then
 * cannot make a thread, and Go's runtime, which makes some before main, dies of that with a page of registers. */
static void check_threads(void)
{
	static const char text[] =
		"ampirun: a filter of system calls answers clone3 with EPERM, so the C library cannot make threads: "
		"update the container's runtime (Docker 20.10.10, libseccomp 2.5 or newer), or run it without its filter (--security-opt seccomp=unconfined)\n";
	if (syscall(SYS_clone3, NULL, 0) < 0 && errno == EPERM)
		refuse(text, sizeof text - 1);
}

/* A shadow stack belongs to a thread, and a rank goes from one thread to another: the processor would take its first return there for an
 * attack. Threads inherit it, so it is switched off here. The word of the thread control block is where the C library keeps that it is on,
 * for longjmp and makecontext. */
static void leave_shadow_stack(void)
{
	static const char text[] = "ampirun: a shadow stack is switched on and locked, and ranks cannot change stacks with it: set GLIBC_TUNABLES=glibc.cpu.x86_shstk=off\n";
	uint64_t features = SHSTK_SHSTK;
	if (syscall(SYS_arch_prctl, SHSTK_DISABLE, SHSTK_SHSTK) == 0)
		__asm__ volatile("andl $~2, %%fs:0x48" : : : "memory", "cc");
	else if (errno == EPERM && syscall(SYS_arch_prctl, SHSTK_STATUS, &features) == 0 && features & SHSTK_SHSTK)
		refuse(text, sizeof text - 1);
}

__attribute__((constructor)) static void begin(void)
{
	int saved = errno;
	check_threads();
	leave_shadow_stack();
	errno = saved;
}
