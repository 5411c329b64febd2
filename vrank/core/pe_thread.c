/* The thread that runs ranks. Its stack lies at an address that all workers agree on, and with it its thread pointer: a
 * pthread's thread-local block is at the top of its stack. */
#include <unistd.h>

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>

#include "privatize/libpthread/forwards.h"
#include "vrank/core/compat.h"
#include "vrank/core/idle.h"
#include "vrank/core/pe_thread.h"
#include "vrank/core/schedule.h"
#include "vrank/core/tls.h"

extern void vrankPE(void); /* Go: the PE loop */

static uint64_t get_canary(void)
{
	uint64_t v;
	__asm__ volatile("movq %%fs:0x28, %0" : "=r"(v));
	return v;
}

static uint64_t get_pointer_guard(void)
{
	uint64_t v;
	__asm__ volatile("movq %%fs:0x30, %0" : "=r"(v));
	return v;
}

/* The values that the stack protector and setjmp use on this thread: those of the job, or jmp_bufs and frames could not move. */
static void set_guards(uint64_t canary, uint64_t pointer_guard)
{
	priv_libpthread_forwards(get_pointer_guard(), pointer_guard);
	__asm__ volatile("movq %0, %%fs:0x28; movq %1, %%fs:0x30" : : "r"(canary), "r"(pointer_guard) : "memory");
}

/* The C library's own frames below were entered with the process's values. */
static void *pe_thread(void *unused)
{
	uint64_t canary = get_canary(), guard = get_pointer_guard();
	vrankPE();
	set_guards(canary, guard);
	return unused;
}

const char *vr_pe_thread_run(void *stack, uint64_t size)
{
	pthread_attr_t attr;
	pthread_t thread;
	if (mmap(stack, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0) != stack)
		return strerror(errno);
	pthread_attr_init(&attr);
	int error = pthread_attr_setstack(&attr, stack, size);
	if (!error)
		error = pthread_create(&thread, &attr, pe_thread, NULL);
	if (!error)
		error = pthread_join(thread, NULL);
	return error ? strerror(error) : NULL;
}

int vr_service_thread_start(void *(*fn)(void *))
{
	pthread_t thread;
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int error = pthread_create(&thread, NULL, fn, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return error || pthread_detach(thread) ? -1 : 0;
}

const char *vr_pe_start(void *control, int id)
{
	vr_job = control;
	vr_pe = &vr_job->pe[id];
	return vr_tls_setup();
}

/* Only PE 0 knows when the job's structures are laid out. */
int vr_job_is_ready(const void *control)
{
	return ((const struct vr_job *)control)->magic == VR_JOB_MAGIC;
}

const char *vr_pe_join(void)
{
	set_guards(vr_job->canary, vr_job->pointer_guard);
	if (vr_pe->tp != vr_job->pe[0].tp && vr_job->pe[0].tp)
		return "the thread pointer is not the same in all workers";
	vr_pe->thread = vr_gettid();
	vr_clock = vr_job->clock;
	vr_migration_epoch = atomic_load(&vr_job->freeze.migration_epoch); /* of chains that were saved none is as it was */
	return NULL;
}

void vr_job_start(void)
{
	vr_job->began_at = vr_ticks(); /* of the last one that comes here, or of one that comes at the same time */
	atomic_fetch_add(&vr_job->started, 1);
}

int vr_job_is_started(void)
{
	return atomic_load(&vr_job->started) == vr_job->pes;
}

void vr_stop(void)
{
	if (!vr_job)
		return;
	atomic_store(&vr_job->stop, 1);
	for (int i = 0; i < vr_job->pes; i++)
		vr_pe_ring(&vr_job->pe[i]);
}
