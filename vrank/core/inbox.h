/* What workers send to each other's ranks and PEs, inbox.c. */
#ifndef VRANK_INBOX_H
#define VRANK_INBOX_H

#include "vrank/core/job.h"

/* Any stack, any worker: hand a node to a rank wherever it is. */
void vr_inbox_push(struct vr_rank *to, struct vr_node *n);

/* The same for a message of at most VR_FASTBOX_BYTES. The fastbox to fill, or NULL when the inbox is not empty; then send it. */
struct vr_fastbox *vr_fastbox_open(struct vr_rank *to);
void vr_fastbox_send(struct vr_rank *to);

/* The owner: carry out all that lies in the inbox. */
void vr_inbox_drain(struct vr_rank *r);

/* PE stack: look after the wake list of another worker, which may hold a rank that has just come from there. */
void vr_wakes_rescue(struct vr_pe *of);

/* The owner: look after all ranks of the wake list and the PE's own inbox. 1 when there was anything. */
int vr_pe_poll(void);

/* Any worker: hand work to a PE itself; its `run` is called with it there, on any stack. */
void vr_pe_post(int pe, struct vr_work *w);

/* The PE, any stack: look into the inbox of r (NULL: of none) at every poll, instead of the one before. */
void vr_pe_watch(struct vr_rank *r);

static inline int vr_pe_has_watched(void)
{
	struct vr_rank *r = atomic_load_explicit(&vr_pe->watched, memory_order_relaxed);
	return r && atomic_load_explicit(&r->inbox, memory_order_relaxed);
}

static inline int vr_pe_has_news(void)
{
	return vr_pe_has_watched() || atomic_load_explicit(&vr_pe->wake, memory_order_relaxed) || atomic_load_explicit(&vr_pe->inbox, memory_order_relaxed);
}

#endif
