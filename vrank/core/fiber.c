/* Fibers: see fiber.h. */
#include "vrank/core/fiber.h"

#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "isomalloc/heap.h"
#include "vrank/core/callback.h"
#include "vrank/core/hooks.h"
#include "vrank/core/inbox.h"
#include "vrank/core/output.h"
#include "vrank/core/schedule.h"
#include "vrank/core/switch.h"

#define FIBER_BYTES (256ul << 10) /* address space, backed as it is used */
#define FIBER_GUARD 4096ul

/* ---- the PE's side ---- */

static struct vr_fiber *fiber_of(struct vr_context *context)
{
	return (struct vr_fiber *)((char *)context - offsetof(struct vr_fiber, context));
}

/* The thread may be gone with its stack as soon as it sees `done`; waking nobody at that address does no harm. */
static void finish(struct vr_delegated *d)
{
	_Atomic uint32_t *done = &d->done;
	atomic_store(done, 1);
	syscall(SYS_futex, done, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void park(struct vr_fiber *f)
{
	struct vr_rank *home = f->context.rank;
	f->idle_next = home->idle_fibers;
	home->idle_fibers = f;
	f->context.wait = (struct vr_wait){.fn = -1, .peer = VR_NOBODY};
	vr_pe->blocks--; /* nothing has come of it yet */
	vr_rank_block();
}

static void fiber_main(void *arg)
{
	struct vr_fiber *f = arg;
	for (;;) {
		f->call->fn(f->call->arg);
		finish(f->call);
		f->call = NULL;
		park(f);
	}
}

/* It lies above its stack, at a colour of its own: see VR_COLOURS. */
static struct vr_fiber *fiber_make(struct vr_rank *home)
{
	char *block = iso_heap_map(home->heap, FIBER_BYTES);
	if (!block)
		return NULL;
	mprotect(block, FIBER_GUARD, PROT_NONE); /* else an overflow is found later, by what it spoils */
	uint64_t colour = vr_colour(home->nfibers++);
	uint64_t at = (uint64_t)block + FIBER_BYTES - sizeof(struct vr_fiber) - VR_COLOURS * VR_LINE + colour;
	struct vr_fiber *f = (struct vr_fiber *)(at & ~(uint64_t)(VR_LINE - 1));
	f->context.rank = home;
	f->context.sp = vr_switch_prepare(f, fiber_main, f);
	f->next = home->fibers;
	home->fibers = f;
	return f;
}

static struct vr_fiber *fiber_take(struct vr_rank *home)
{
	struct vr_fiber *f = home->idle_fibers;
	if (!f)
		return fiber_make(home);
	home->idle_fibers = f->idle_next;
	return f;
}

/* Threads of a rank that has ended sleep for ever. */
static void begin(struct vr_work *w)
{
	struct vr_delegated *d = (struct vr_delegated *)((char *)w - offsetof(struct vr_delegated, work));
	struct vr_rank *home = d->rank;
	if (atomic_load(&home->context.state) == VR_ENDED)
		return;
	struct vr_fiber *f = fiber_take(home);
	if (!f) {
		vr_out_printf(home->id, 2, "ampirun: rank %d: its slice has no room for the calls of its threads: see +slice\n", home->id);
		_exit(1);
	}
	f->call = d;
	vr_rank_ready(&f->context);
}

int vr_fiber_start(struct vr_rank *home, struct vr_delegated *d, void (*fn)(void *arg), void *arg)
{
	static struct vr_thread first; /* as it would be called there */
	struct vr_fiber *f = fiber_take(home);
	if (!f)
		return -1;
	*d = (struct vr_delegated){.rank = home, .thread = &first, .fn = fn, .arg = arg};
	f->call = d;
	vr_rank_ready(&f->context);
	return 0;
}

/* What a context has on its stack others may still read, so it sleeps on below that. */
static void rest(void *unused)
{
	(void)unused;
	vr_rank_rest();
}

static void bury(struct vr_context *context)
{
	if (context == vr_context)
		return;
	context->need = 0;
	context->sp = vr_callback_prepare(context, rest, NULL);
}

void vr_fibers_end(void)
{
	struct vr_rank *home = vr_current;
	if (!home->fibers)
		return;
	home->probing = NULL;
	bury(&home->context);
	for (struct vr_fiber *f = home->fibers; f; f = f->next)
		bury(&f->context);
}

/* ---- the thread's side ---- */

uint64_t vr_calling_thread(void)
{
	if (vr_thread)
		return vr_thread->number;
	return vr_context == &vr_current->context ? 0 : fiber_of(vr_context)->call->thread->number;
}

void vr_thread_delegate(void (*fn)(void *arg), void *arg)
{
	struct vr_rank *r = vr_thread->rank;
	struct vr_delegated d = {.work.run = begin, .rank = r, .thread = vr_thread, .fn = fn, .arg = arg};
	vr_pe_post(atomic_load(&r->pe), &d.work);
	vr_core_hooks.thread_waits();
	while (!atomic_load(&d.done))
		syscall(SYS_futex, &d.done, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0);
	vr_core_hooks.thread_goes_on();
}
