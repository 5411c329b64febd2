/* The list of steppers that are ready, see stepper.h. Nothing in it outlives a call of the PE loop into C. */
#include "vrank/core/stepper.h"

struct vr_steppers vr_steppers;

void vr_stepper_ready(struct vr_stepper *s)
{
	struct vr_steppers *all = &vr_steppers;
	if (s->ready)
		return;
	s->ready = 1;
	s->next = NULL;
	*(all->tail ? &all->tail->next : &all->head) = s;
	all->tail = s;
	if (!all->held)
		vr_steppers_run();
}

static struct vr_stepper *pop(void)
{
	struct vr_stepper *s = vr_steppers.head;
	if (!(vr_steppers.head = s->next))
		vr_steppers.tail = NULL;
	s->ready = 0;
	return s;
}

/* What needs a rank's stack stays in the list until the PE loop gives it one. */
static int has_runnable(void)
{
	const struct vr_stepper *s = vr_steppers.head;
	return s && (vr_current || !s->borrows);
}

void vr_steppers_run(void)
{
	if (vr_steppers.running)
		return;
	vr_steppers.running = 1;
	while (has_runnable()) {
		struct vr_stepper *s = pop();
		s->run(s);
	}
	vr_steppers.running = 0;
}
