/* The life of a rank: its control block, its first function, its end. */
#include "vrank/libc/life.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "isomalloc/heap.h"
#include "privatize/libpthread/init.h"
#include "vrank/core/abort.h"
#include "vrank/core/callback.h"
#include "vrank/core/fiber.h"
#include "vrank/core/idle.h"
#include "vrank/core/isolate.h"
#include "vrank/core/output.h"
#include "vrank/core/schedule.h"
#include "vrank/core/switch.h"
#include "vrank/libc/atexit.h"
#include "vrank/libc/library.h"
#include "vrank/libc/preempt.h"
#include "vrank/libc/probe.h"
#include "vrank/libc/process.h"
#include "vrank/libc/signals.h"
#include "vrank/libc/thread_stacks.h"
#include "vrank/libc/tools.h"
#include "vrank/p2p/p2p.h"

const void *vr_shim_table, *vr_shim_guarded;
void (*vr_rank_ending)(int code);
int vr_host_heap;

int vr_rank_init(struct vr_rank *r, int id, unsigned heap_flags)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t slice = vr_job->slices + (uint64_t)id * l->slice_size;
	r->id = id;
	r->context.rank = r;
	r->context.wait.fn = -1;
	r->home_pe = vr_pe->id;
	r->slice = slice;
	r->requests = (struct vr_request *)(slice + l->requests);
	r->heap = iso_heap_init((void *)(slice + l->heap), l->heap_size, heap_flags);
	if (!r->heap)
		return -1;
	vr_match_init(&r->matcher);
	r->mpi = r + 1;
	/* Request 0 is complete for ever: what sends that are done at once give as their handle. */
	vr_request_alloc(r, VR_REQ_DONE)->flags = VR_RQ_DONE;
	r->live_requests = 0;
	r->magic = VR_MAGIC;
	vr_rank_adopt(r);
	return 0;
}

void vr_rank_adopt(struct vr_rank *r)
{
	atomic_store(&r->pe, vr_pe->id);
	r->all_next = vr_pe->all;
	r->all_at = &vr_pe->all;
	if (r->all_next)
		r->all_next->all_at = &r->all_next;
	vr_pe->all = r;
	vr_pe->nranks++;
	if (vr_unlikely(atomic_load_explicit(&vr_job->windows, memory_order_relaxed)))
		vr_preempt_setup(); /* others may wait for what only this worker can do with the rank's memory */
}

void vr_rank_release(struct vr_rank *r)
{
	*r->all_at = r->all_next;
	if (r->all_next)
		r->all_next->all_at = r->all_at;
	vr_pe->nranks--;
}

/* A program built with ampicc calls MPI through a table: hand it over, or refuse the program by what its shim says. */
static void connect_shim(struct vr_rank *me)
{
	const struct vr_entry *e = &me->entry;
	if (!e->shim_unpack)
		return;
	int (*unpack)(const void *) = (int (*)(const void *))e->shim_unpack;
	const char *(*error)(void) = (const char *(*)(void))e->shim_error;
	if (unpack(vr_tools_table(me, vr_isolated ? vr_shim_guarded : vr_shim_table)))
		vr_job_abort(2, "%s", error());
}

void vr_single_threaded(const struct vr_entry *e, int is)
{
	if (e->single_threaded)
		*(char *)e->single_threaded = is;
	if (e->single_threaded_inside)
		*(char *)e->single_threaded_inside = is;
}

/* A rank's C library is told that it is not the process's first one, and so it leaves alone what a process has once: the break (its malloc
 * takes memory with mmap) and the memory that goes with the vDSO's getrandom (see random.c). But it is the only one of a thread, and
 * what it says of threads' stacks is what they have, whatever the limit. */
static void early_init(const struct vr_entry *e)
{
	((void (*)(int))e->early_init)(0);
	vr_single_threaded(e, 1);
	vr_thread_default((int (*)(const pthread_attr_t *))e->libc[VR_LIBC_THREAD_DEFAULT], 0);
}

void vr_rank_introduce(struct vr_rank *r)
{
	const struct vr_entry *e = &r->entry;
	if (e->environ_var)
		*(char ***)e->environ_var = r->envp;
	if (e->progname_full)
		*(char **)e->progname_full = r->argv[0];
	if (e->progname) {
		char *slash = strrchr(r->argv[0], '/');
		*(char **)e->progname = slash ? slash + 1 : r->argv[0];
	}
}

/* What ld.so and the C library's start code do before main, in their order. */
static void initialise(struct vr_rank *me)
{
	const struct vr_entry *e = &me->entry;
	vr_rank_introduce(me);
	if (e->early_init)
		early_init(e);
	if (e->ctype_init)
		((void (*)(void))e->ctype_init)();
	for (uint32_t i = 0; i < e->ninits; i++)
		if (e->inits[i] - e->threads < e->threads_size)
			priv_libpthread_init(e->inits[i], me->argc, me->argv, me->envp, me->slice, vr_job->layout.slice_size);
		else
			((void (*)(int, char **, char **))e->inits[i])(me->argc, me->argv, me->envp);
}

void vr_exit(int code) __attribute__((noreturn));

static void first_function(void *arg)
{
	struct vr_rank *me = arg;
	vr_isolate_close();
	initialise(me);
	connect_shim(me);
	if (vr_unlikely(vr_probe.wanted))
		vr_probe_run();
	if (vr_unlikely(vr_probe.only))
		vr_rank_exit(0);
	vr_exit(((int (*)(int, char **, char **))me->entry.main)(me->argc, me->argv, me->envp));
}

void vr_rank_start(struct vr_rank *r)
{
	r->context.sp = vr_switch_prepare(vr_tls_of(r), first_function, r);
	vr_rank_ready(&r->context);
}

/* exit() in a thread that the rank has started: the rank itself is somewhere else and cannot be ended, so the worker is. */
static void exit_in_thread(int code)
{
	struct vr_rank *me = vr_current;
	vr_out_printf(me->id, 2, "ampirun: rank %d: exit(%d) in a thread that it started: it ends the job\n", me->id, code);
	if (me->entry.fflush)
		((int (*)(void *))me->entry.fflush)(NULL);
	_exit(code & 0xff ? code & 0xff : 1);
}

void vr_rank_exit(int code)
{
	struct vr_rank *me = vr_current;
	if (vr_is_child())
		_exit(code);
	if (vr_unlikely(vr_in_callbacks))
		vr_job_abort(code, "a function that the program gave to MPI_Op_create ends its rank with code %d", code);
	if (vr_thread)
		exit_in_thread(code);
	vr_signals_end(me);
	vr_fibers_end();
	me->context.exit_code = code & 0xff;
	if (me->context.exit_code && me->mpi_state == VR_MPI_RUNNING) /* it ends the job: no worker need find that others wait for it */
		atomic_store(&vr_job->deadlock, 1);
	atomic_store(&me->context.state, VR_ENDED);
	vr_job_one_less();
	for (;;)
		vr_rank_leave(VR_LEFT);
}

/* exit(): handlers may call it again, then the rest of them runs with the new code. */
void vr_exit(int code)
{
	struct vr_rank *me = vr_current;
	const struct vr_entry *e = &me->entry;
	if (vr_thread && !vr_is_child())
		exit_in_thread(code);
	me->context.exit_code = code;
	if (!me->exiting++ && vr_rank_ending && !vr_is_child())
		vr_rank_ending(code);
	vr_atexit_run(NULL, code);
	vr_libraries_end();
	while (me->finis_run < e->nfinis)
		((void (*)(void))e->finis[me->finis_run++])();
	if (e->fflush)
		((int (*)(void *))e->fflush)(NULL);
	vr_rank_exit(code);
}
