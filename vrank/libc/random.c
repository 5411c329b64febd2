/* Random bytes come from the worker's C library. One of glibc 2.41 and newer would else keep pages of the process for the kernel's function in
 * the vDSO, and hand one of them to the thread that calls: there it is found by the ranks of all C libraries that this thread runs, and where
 * their rank moves it is not. The worker's has one for each of its threads, and forks know of them. */
#include <errno.h>
#include <stdint.h>
#include <sys/random.h>

#include "vrank/core/abort.h"
#include "vrank/libc/bind.h"

ssize_t vr_bind_getrandom(void *out, size_t n, unsigned flags)
{
	ssize_t got = getrandom(out, n, flags);
	if (got < 0)
		vr_set_errno(errno);
	return got;
}

int vr_bind_getentropy(void *out, size_t n)
{
	int result = getentropy(out, n);
	if (result)
		vr_set_errno(errno);
	return result;
}

void vr_bind_arc4random_buf(void *out, size_t n)
{
	char *at = out;
	while (n) {
		ssize_t got = getrandom(at, n, 0);
		if (got < 0 && errno != EINTR)
			vr_job_abort(2, "arc4random_buf() cannot get random bytes from the kernel: %m");
		at += got > 0 ? got : 0;
		n -= got > 0 ? got : 0;
	}
}

uint32_t vr_bind_arc4random(void)
{
	uint32_t r;
	vr_bind_arc4random_buf(&r, sizeof r);
	return r;
}

/* Numbers below 2^32 mod bound are left out, so that all residues are equally likely. */
uint32_t vr_bind_arc4random_uniform(uint32_t bound)
{
	uint32_t r, low = bound < 2 ? 0 : -bound % bound;
	if (bound < 2)
		return 0;
	do
		r = vr_bind_arc4random();
	while (r < low);
	return r % bound;
}
