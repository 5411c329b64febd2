/* What a program is told when it asks for its stack: garbage collectors, Fortran and JIT libraries do. The C library would
 * answer for the PE thread. */
#include <errno.h>
#include <pthread.h>
#include <sys/resource.h>

#include "vrank/core/job.h"
#include "vrank/libc/bind.h"

int vr_bind_pthread_getattr_np(uint64_t thread, void *attr)
{
	struct vr_rank *r = vr_current;
	if (vr_thread || thread != (uint64_t)pthread_self())
		return pthread_getattr_np(thread, attr);
	int error = pthread_attr_init(attr);
	char *low = (char *)(r->slice + vr_job->layout.stack);
	return error ? error : pthread_attr_setstack(attr, low, vr_tls_of(r) - low);
}

static void tell_limit(struct rlimit *out)
{
	out->rlim_cur = out->rlim_max = vr_job->layout.stack_size;
}

int vr_bind_getrlimit(int what, void *out)
{
	int failed = getrlimit(what, out);
	if (failed)
		vr_set_errno(errno);
	else if (what == RLIMIT_STACK)
		tell_limit(out);
	return failed;
}

/* A larger stack than the rank has is refused as by a hard limit, a smaller one is given. */
int vr_bind_setrlimit(int what, const void *new)
{
	int failed;
	if (what == RLIMIT_STACK) {
		failed = ((const struct rlimit *)new)->rlim_cur > vr_job->layout.stack_size ? -1 : 0;
		errno = EPERM;
	} else {
		failed = setrlimit(what, new);
	}
	if (failed)
		vr_set_errno(errno);
	return failed;
}

int vr_bind_prlimit(int pid, int what, const void *new, void *old)
{
	int failed;
	if (what == RLIMIT_STACK && !pid) {
		failed = new ? vr_bind_setrlimit(what, new) : 0;
		if (!failed && old)
			tell_limit(old);
		return failed;
	}
	failed = prlimit(pid, what, new, old);
	if (failed)
		vr_set_errno(errno);
	return failed;
}
