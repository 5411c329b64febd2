/* Running a function of the program as a rank that sleeps: the rank's stack below its saved stack pointer is free, and its
 * thread-local block is loaded for the while.
 *
 * Calls that Go serves work inside of it: the rank leaves for the PE and comes back like any other. Waiting cannot work,
 * since the rank waits already: vr_in_callbacks says so to those that would switch. */
#include "vrank/core/hooks.h"
#include "vrank/core/progress_hook.h"

#include "vrank/core/callback.h"
#include "vrank/core/schedule.h"
#include "vrank/core/switch.h"
#include "vrank/core/tls.h"

int vr_in_callbacks;

#define RED_ZONE 256

struct callback {
	void (*fn)(void *arg);
	void *arg;
	void *back; /* the borrower's stack pointer */
};

/* A stack pointer that starts fn(arg) below what a context has on its stack, with its floating-point modes. */
void *vr_callback_prepare(struct vr_context *context, void (*fn)(void *), void *arg)
{
	const struct vr_frame *saved = context->sp;
	struct vr_frame *f = vr_switch_prepare((void *)(((uint64_t)context->sp - RED_ZONE) & ~15ull), fn, arg);
	f->mxcsr = saved->mxcsr;
	f->fpu_control = saved->fpu_control;
	f->fpu_status = saved->fpu_status;
	return f;
}

static void in_callback(void *arg)
{
	struct callback *l = arg;
	void *never;
	l->fn(l->arg);
	vr_switch(&never, l->back);
}

static void become(struct vr_context *context)
{
	struct vr_rank *r = context ? context->rank : NULL;
	vr_context = context;
	vr_current = r;
	if (!r)
		return;
	if (r != vr_loaded)
		vr_tls_load(r);
	if (vr_unlikely(vr_directories))
		vr_core_hooks.enter_directory(r);
}

static void set_state(struct vr_context *context, uint32_t s)
{
	atomic_store_explicit(&context->state, s, memory_order_relaxed);
}

static void run_on(struct vr_context *r, struct callback *l)
{
	struct vr_context *me = vr_context;
	void *sp = r->sp;
	become(r);
	vr_switch(&l->back, vr_callback_prepare(r, in_callback, l));
	r->sp = sp;
	become(me);
}

void vr_context_callback(struct vr_context *runs, void (*fn)(void *arg), void *arg)
{
	struct callback l = {.fn = fn, .arg = arg};
	uint32_t state = atomic_load_explicit(&runs->state, memory_order_relaxed);
	int32_t budget = vr_pe->budget;
	vr_in_callbacks++;
	vr_pe->budget = -1;
	if (runs == vr_context)
		fn(arg);
	else
		run_on(runs, &l);
	set_state(runs, state);
	vr_in_callbacks--;
	if (!vr_in_callbacks)
		vr_pe->budget = budget;
}

void vr_rank_callback(struct vr_rank *r, void (*fn)(void *arg), void *arg)
{
	vr_context_callback(r == vr_current ? vr_context : &r->context, fn, arg);
}
