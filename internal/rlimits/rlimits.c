/* The executable's definitions come before the C library's. The Go runtime calls them, through functions of runtime/cgo, from its first
 * allocation on; others get what they have asked for, or not. */
#include "internal/rlimits/rlimits.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Of runtime/cgo. Weak: not every build has them. */
extern int _cgo_try_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) __attribute__((weak));
extern uintptr_t x_cgo_mmap(void *, uintptr_t, int32_t, int32_t, int32_t, uint32_t) __attribute__((weak));
#define LENGTH 512 /* bytes of their code, at most */
#define TRIES 20 /* of the Go runtime to start a thread */

static int is_in(const void *caller, uint64_t function)
{
	return function && (uint64_t)caller - function < LENGTH;
}

/* 0: there is none. */
static int limit_text(char *text, size_t size, int limit, const char *what, int own_use)
{
	struct rlimit is;
	if (getrlimit(limit, &is) || is.rlim_cur == RLIM_INFINITY)
		return 0;
	return snprintf(text, size, "no more memory can be had: the limit of %s is %lu KiB, of which the runtime itself takes some %d MiB: raise it (ulimit)", what,
			(unsigned long)is.rlim_cur >> 10, own_use);
}

void rlimits_text(int code, char *text, size_t size)
{
	if (code == RLIMITS_THREADS)
		snprintf(text, size, "no more threads can be had: %s: raise the limit of processes (ulimit -u, pids.max of the cgroup) or of memory (ulimit -v, -d)",
			 strerror(EAGAIN));
	else if (!limit_text(text, size, RLIMIT_AS, "address space (ulimit -v)", 1300) && !limit_text(text, size, RLIMIT_DATA, "data (ulimit -d)", 256))
		snprintf(text, size, "no more memory can be had: %s", strerror(ENOMEM));
}

/* A worker leaves it to its manager to say so: others may have the same trouble. */
static void refuse(int code)
{
	char text[256];
	if (!strcmp(program_invocation_name, "ampirun-worker"))
		_exit(code);
	rlimits_text(code, text, sizeof text);
	dprintf(2, "%s: %s\n", program_invocation_short_name, text);
	_exit(1);
}

void rlimits_thread(const void *caller, int error)
{
	static __thread int failures; /* one after the other */
	if (!is_in(caller, (uint64_t)&_cgo_try_pthread_create))
		return;
	if (!error)
		failures = 0;
	else if (error != EAGAIN || ++failures >= TRIES)
		refuse(RLIMITS_THREADS);
}

/* The Go runtime can do nothing without what it asks for. Other errors mean that it may ask for another place. */
void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	void *got = (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
	if (got == MAP_FAILED && errno == ENOMEM && is_in(__builtin_return_address(0), (uint64_t)&x_cgo_mmap))
		refuse(RLIMITS_MEMORY);
	return got;
}

/* Executables that have more to do here have a definition that is not weak. */
__attribute__((weak)) int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	static _Atomic(__typeof__(&pthread_create)) next;
	__typeof__(&pthread_create) create = next;
	if (!create)
		next = create = (__typeof__(&pthread_create))dlsym(RTLD_NEXT, "pthread_create");
	int error = create ? create(thread, attr, fn, arg) : EAGAIN;
	rlimits_thread(__builtin_return_address(0), error);
	return error;
}
