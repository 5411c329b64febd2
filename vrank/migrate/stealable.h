/* Ranks that others may take without asking. A PE that computes for long cannot answer, so it holds some of its ready ranks out
 * beforehand, at a switch: they leave its queue, belong to nobody (VR_IN_TRANSIT), and lie in its `offers`. A PE with nothing to run
 * exchanges one of them for NULL and has it. What nobody has taken when it would have been its turn goes back into the queue.
 *
 * Only ranks are offered that have nothing in this process to hand over. Others are asked for: steal.h. */
#ifndef VRANK_STEALABLE_H
#define VRANK_STEALABLE_H

#include "vrank/core/hooks.h"

/* Any stack, in a switch from one context (NULL: the PE) to another: take back those whose turn it is, and offer others. `to` is in no list;
 * `from` is in the queue when it yields, and may be offered itself. */
void vr_stealable_turn(struct vr_context *from, struct vr_context *to);

/* PE stack: those that nobody has taken become ready. 1 when there were any. */
int vr_stealable_retake(void);

/* PE stack: a rank that an order is about; if it is offered, it becomes ready. */
void vr_stealable_retract(const struct vr_rank *r);

/* PE stack, nothing to run: take a rank that another PE offers, if there is one. 1 when it has come: it is an arrival for Go. */
int vr_stealable_take(void);

/* Does any other PE offer something? */
int vr_stealable_exist(void);

#endif
