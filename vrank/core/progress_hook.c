/* The list of hooks that are ready, see progress_hook.h. Nothing in it outlives a call of the PE loop into C. */
#include "vrank/core/progress_hook.h"

struct vr_progress_hooks vr_progress_hooks;

void vr_progress_hook_ready(struct vr_progress_hook *s)
{
	struct vr_progress_hooks *all = &vr_progress_hooks;
	if (s->ready)
		return;
	s->ready = 1;
	s->next = NULL;
	*(all->tail ? &all->tail->next : &all->head) = s;
	all->tail = s;
	if (!all->held)
		vr_progress_hooks_run();
}

static struct vr_progress_hook *pop(void)
{
	struct vr_progress_hook *s = vr_progress_hooks.head;
	if (!(vr_progress_hooks.head = s->next))
		vr_progress_hooks.tail = NULL;
	s->ready = 0;
	return s;
}

/* What needs a rank's stack stays in the list until the PE loop gives it one. */
static int has_runnable(void)
{
	const struct vr_progress_hook *s = vr_progress_hooks.head;
	return s && (vr_current || !s->borrows);
}

void vr_progress_hooks_run(void)
{
	if (vr_progress_hooks.running)
		return;
	vr_progress_hooks.running = 1;
	while (has_runnable()) {
		struct vr_progress_hook *s = pop();
		s->run(s);
	}
	vr_progress_hooks.running = 0;
}
