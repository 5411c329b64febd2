/* Functions that run at the end of a rank: atexit and kin, destructors of static and thread_local objects. The lists lie
 * in the slice, so they travel with the rank. */
#include <errno.h>

#include "vrank/core/rank_memory.h"
#include "vrank/libc/atexit.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/life.h"

enum vr_atexit_kind { ON_EXIT, CXA };

static int add(struct vr_atexit **list, enum vr_atexit_kind kind, void *fn, void *arg, void *dso)
{
	struct vr_atexit *a = vr_rank_alloc(vr_current, sizeof *a);
	if (!a)
		return -1;
	*a = (struct vr_atexit){.next = *list, .fn = fn, .arg = arg, .dso = dso, .kind = kind};
	*list = a;
	return 0;
}

static void call(struct vr_atexit *a, int code)
{
	struct vr_atexit c = *a;
	vr_rank_free(vr_current, a);
	if (c.kind == ON_EXIT)
		((void (*)(int, void *))c.fn)(code, c.arg);
	else
		((void (*)(void *))c.fn)(c.arg);
}

/* Handlers may register more of them, so the list is looked at anew after each call. */
static void run(struct vr_atexit **list, void *dso, int code)
{
	struct vr_atexit **at = list;
	while (*at) {
		struct vr_atexit *a = *at;
		if (dso && a->dso != dso) {
			at = &a->next;
			continue;
		}
		*at = a->next;
		call(a, code);
		at = list;
	}
}

void vr_atexit_run(void *dso, int code)
{
	if (!dso)
		run(&vr_current->thread_exit, NULL, code);
	run(&vr_current->atexit, dso, code);
}

void vr_atexit_run_thread(void)
{
	run(&vr_thread->exit, NULL, 0);
}

int vr_bind_cxa_atexit(void (*fn)(void *), void *arg, void *dso)
{
	return add(&vr_current->atexit, CXA, fn, arg, dso);
}

int vr_bind_on_exit(void (*fn)(int, void *), void *arg)
{
	return add(&vr_current->atexit, ON_EXIT, fn, arg, NULL);
}

int vr_bind_cxa_at_quick_exit(void (*fn)(void *), void *dso)
{
	return add(&vr_current->atexit_quick, CXA, fn, NULL, dso);
}

int vr_bind_cxa_thread_atexit(void (*fn)(void *), void *arg, void *dso)
{
	return add(vr_thread ? &vr_thread->exit : &vr_current->thread_exit, CXA, fn, arg, dso);
}

void vr_bind_cxa_finalize(void *dso)
{
	vr_atexit_run(dso, vr_current->context.exit_code);
}

void vr_bind_quick_exit(int code)
{
	run(&vr_current->atexit_quick, NULL, code);
	vr_rank_exit(code);
}
