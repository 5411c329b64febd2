/* The cores that a rank's first thread may run on. That thread is the PE's, which runs other ranks too: where it runs is the
 * worker's business (+pin). So what a rank asks for is kept, and told it again, and holds for threads that it starts. OpenMP with
 * OMP_PROC_BIND would otherwise have all workers on the first core. A rank that is alone in its worker gets what it asks for. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <unistd.h>

#include "vrank/core/job.h"
#include "vrank/core/rank_memory.h"
#include "vrank/libc/affinity.h"
#include "vrank/libc/bind.h"

static int is_first(pid_t thread)
{
	return !vr_thread && (!thread || thread == vr_gettid() || thread == getpid());
}

static int keep(size_t size, const void *mask)
{
	struct vr_rank *r = vr_current;
	cpu_set_t *own = r->affinity ? r->affinity : vr_rank_alloc(r, sizeof *own);
	if (!own)
		return ENOMEM;
	CPU_ZERO(own);
	memcpy(own, mask, size < sizeof *own ? size : sizeof *own);
	if (!CPU_COUNT(own)) {
		if (!r->affinity)
			vr_rank_free(r, own);
		return EINVAL;
	}
	r->affinity = own;
	return vr_pe->nranks > 1 || !sched_setaffinity(0, sizeof *own, own) ? 0 : errno;
}

static int tell(size_t size, void *mask)
{
	const cpu_set_t *own = vr_current->affinity;
	if (size < sizeof *own && size % sizeof(long))
		return EINVAL;
	if (!own)
		return sched_getaffinity(0, size, mask) ? errno : 0;
	memset(mask, 0, size);
	memcpy(mask, own, size < sizeof *own ? size : sizeof *own);
	return 0;
}

void vr_affinity_inherit(const struct vr_rank *r)
{
	if (r->affinity)
		sched_setaffinity(0, sizeof(cpu_set_t), r->affinity);
}

static int or_errno(int error)
{
	if (error)
		vr_set_errno(error);
	return error ? -1 : 0;
}

int vr_bind_sched_setaffinity(int thread, size_t size, const void *mask)
{
	if (is_first(thread))
		return or_errno(keep(size, mask));
	return or_errno(sched_setaffinity(thread, size, mask) ? errno : 0);
}

int vr_bind_sched_getaffinity(int thread, size_t size, void *mask)
{
	if (is_first(thread))
		return or_errno(tell(size, mask));
	return or_errno(sched_getaffinity(thread, size, mask) ? errno : 0);
}

int vr_bind_pthread_setaffinity_np(uint64_t thread, size_t size, const void *mask)
{
	return !vr_thread && thread == (uint64_t)pthread_self() ? keep(size, mask) : pthread_setaffinity_np(thread, size, mask);
}

int vr_bind_pthread_getaffinity_np(uint64_t thread, size_t size, void *mask)
{
	return !vr_thread && thread == (uint64_t)pthread_self() ? tell(size, mask) : pthread_getaffinity_np(thread, size, mask);
}
