/* Threads that ranks start. They are threads of the worker: the host's C library makes them, so that their thread-local
 * block has the worker's layout, with the reserve in it; a new thread fills its reserve with the initial values of the
 * rank's variables. Such threads compute, allocate and use the C library by themselves; their MPI calls go to the PE: see
 * fiber.h. A rank with live threads stays where it is: see vr_rank.threads. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "isomalloc/heap.h"
#include "vrank/core/abort.h"
#include "vrank/core/idle.h"
#include "vrank/core/isolate.h"
#include "vrank/core/pin.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"
#include "vrank/libc/affinity.h"
#include "vrank/libc/atexit.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/keys.h"
#include "vrank/libc/library.h"
#include "vrank/libc/life.h"
#include "vrank/libc/objects.h"
#include "vrank/libc/preempt.h"
#include "vrank/libc/process.h"
#include "vrank/libc/rank_threads.h"
#include "vrank/libc/tools.h"

int vr_links_threads;

struct start {
	struct vr_rank *rank;
	void *(*fn)(void *);
	void *arg;
	int inherits; /* the cores of who has started it */
};

/* The thread's part below the thread pointer, as the rank's own block was when the rank began. */
static void fill_tls(struct vr_rank *r)
{
	char *tp;
	__asm__("movq %%fs:0x10, %0" : "=r"(tp));
	memset(tp - vr_tls_used(r), 0, vr_tls_used(r));
	vr_objects_copy_tls(r, tp);
}

/* Runs when the first function returns, and after pthread_exit or a cancellation has left the rank's frames. */
static void thread_end(void *unused)
{
	struct vr_rank *r = vr_current;
	(void)unused;
	vr_atexit_run_thread();
	vr_keys_end(&vr_thread->keys);
	vr_library_tls_end(vr_thread->tls_blocks);
	vr_thread = NULL;
	vr_current = NULL;
	int32_t pe = atomic_load(&r->pe);
	vr_preempt_unwatch(vr_pe);
	if (atomic_fetch_sub(&r->threads, 1) == 1)
		vr_pe_ring(&vr_job->pe[pe]); /* perhaps it sleeps without looking for deadlocks */
}

static void *thread_main(void *p)
{
	struct start s = *(struct start *)p;
	static _Atomic uint64_t number;
	struct vr_thread self = {.rank = s.rank, .number = atomic_fetch_add(&number, 1) + 1};
	vr_current = s.rank;
	vr_rank_free(s.rank, p);
	fill_tls(s.rank);
	vr_thread = &self;
	if (s.inherits)
		vr_affinity_inherit(s.rank);
	vr_apart = 1;
	if (s.rank->entry.ctype_init)
		((void (*)(void))s.rank->entry.ctype_init)();
	void *result;
	pthread_cleanup_push(thread_end, NULL);
	result = s.fn(s.arg);
	pthread_cleanup_pop(1);
	return result;
}

/* From its first thread on a rank calls MPI through the table that looks at who calls. Others have not begun yet. */
void vr_guard_calls(struct vr_rank *r)
{
	if (r->entry.shim_unpack && vr_shim_guarded)
		((int (*)(const void *))r->entry.shim_unpack)(vr_tools_table(r, vr_shim_guarded));
}

int vr_bind_pthread_create(void *thread, const void *attr, void *(*fn)(void *), void *arg)
{
	struct vr_rank *r = vr_current;
	if (vr_unlikely(vr_links_threads && !vr_thread && vr_pe->nranks > 1)) /* while another rank runs, our first thread's are not there */
		vr_job_abort(2, "starts a thread, and its allocator is jemalloc, which needs a worker for each rank then: take +p %d", vr_job->ranks);
	const char *why = vr_thread ? NULL : vr_isolate_may_thread();
	if (why)
		vr_job_abort(2, "starts a thread, and %s", why);
	struct start *s = vr_rank_alloc(r, sizeof *s);
	if (!s)
		return EAGAIN;
	*s = (struct start){r, fn, arg, !attr};
	if (!vr_thread && !atomic_load(&r->threads)) {
		vr_have_threads = 1;
		vr_preempt_setup();
		iso_heap_lock_enable(r->heap, 1);
		vr_guard_calls(r);
		vr_rank_pin(r, "it has started threads");
		vr_single_threaded(&r->entry, 0); /* from now on its C library wakes others and uses atomic instructions */
		vr_unwinder_prepare(r->entry.backtrace); /* the worker's unwinds threads that end early */
	}
	atomic_fetch_add(&r->threads, 1);
	vr_preempt_watch(vr_pe);
	int error = pthread_create(thread, attr, thread_main, s);
	if (error) {
		vr_preempt_unwatch(vr_pe);
		atomic_fetch_sub(&r->threads, 1);
		vr_rank_free(r, s);
	}
	return error;
}

/* The rank that joins lets others run meanwhile. */
int vr_bind_pthread_join(uint64_t thread, void **result)
{
	if (vr_thread)
		return pthread_join(thread, result);
	int error;
	for (int64_t pause = 1000; (error = pthread_tryjoin_np(thread, result)) == EBUSY; pause = pause < 1000000 ? 2 * pause : pause)
		vr_rank_sleep(pause);
	return error;
}

int vr_bind_pthread_detach(uint64_t thread)
{
	return pthread_detach(thread);
}

void vr_bind_pthread_exit(void *result)
{
	if (!vr_thread)
		vr_rank_exit(0); /* the rank's first thread: nothing of it can go on by itself */
	pthread_exit(result);
}
