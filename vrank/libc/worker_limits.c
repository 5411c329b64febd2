/* Limits under which nothing works are told in one line, before the Go runtime finds out in its own way: it prints its stacks. */
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "vrank/libc/worker_limits.h"

/* What the Go runtime reserves to begin with, its threads' stacks, and some room; the memory of ranks comes on top of it. */
#define ADDRESSES (1ul << 30)
#define DATA (256ul << 20)

static void refuse(const char *line)
{
	(void)!write(2, line, strlen(line));
	_exit(1);
}

static int can_map(size_t n, int prot)
{
	void *at = mmap(NULL, n, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return at != MAP_FAILED && !munmap(at, n);
}

static void check(int limit, const char *name, size_t least, int prot)
{
	struct rlimit is;
	char line[256];
	if (getrlimit(limit, &is) || is.rlim_cur == RLIM_INFINITY || can_map(least, prot))
		return;
	snprintf(line, sizeof line, "ampirun: %s is %lu KiB, and ampirun itself needs %lu MiB: raise it (ulimit)\n", name, (unsigned long)is.rlim_cur >> 10, least >> 20);
	refuse(line);
}

__attribute__((constructor)) static void check_limits(void)
{
	check(RLIMIT_AS, "the limit of address space (ulimit -v)", ADDRESSES, PROT_NONE);
	check(RLIMIT_DATA, "the limit of data (ulimit -d)", DATA, PROT_READ | PROT_WRITE);
}

/* ---- threads of the Go runtime ---- */

/* Of the Go runtime, which tries it so often before it ends the process. Weak: not every build has it. */
extern int _cgo_try_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) __attribute__((weak));
#define TRIES 20
#define LENGTH 512 /* bytes of its code, at most */

void vr_thread_failed(const void *caller, int error)
{
	static _Atomic int failures; /* one after the other */
	char line[256];
	uint64_t place = (uint64_t)caller - (uint64_t)&_cgo_try_pthread_create;
	if (!&_cgo_try_pthread_create || place >= LENGTH)
		return;
	if (!error) {
		atomic_store_explicit(&failures, 0, memory_order_relaxed);
		return;
	}
	if (error == EAGAIN && atomic_fetch_add(&failures, 1) + 1 < TRIES)
		return;
	snprintf(line, sizeof line, "ampirun: no more threads can be had: %s: raise the limit of processes (ulimit -u, pids.max of the cgroup) or of memory (ulimit -v, -d)\n",
		strerror(error));
	refuse(line);
}
