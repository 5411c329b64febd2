/* Between workers: lock-free lists that many push to and the owner empties.
 *
 * A rank's inbox is a stack of nodes, taken whole and turned round, so nodes of one sender keep their order. Who fills an
 * empty inbox puts the rank on its PE's wake list, once: on_wake says that the rank is already on its way there. */
#include "vrank/core/inbox.h"

#include "vrank/core/hooks.h"
#include "vrank/core/idle.h"
#include "vrank/core/progress_hook.h"

static void wake_push(struct vr_rank *r)
{
	struct vr_pe *pe = &vr_job->pe[vr_owner(r)];
	struct vr_rank *head = atomic_load_explicit(&pe->wake, memory_order_relaxed);
	do
		r->wake_next = head;
	while (!atomic_compare_exchange_weak(&pe->wake, &head, r));
	vr_pe_ring(pe);
}

/* The inbox was empty: its owner must learn that it no longer is, unless it looks anyway. */
static void announce(struct vr_rank *to)
{
	if (atomic_load(&vr_job->pe[vr_owner(to)].watched) == to)
		return;
	if (!atomic_exchange(&to->on_wake, 1))
		wake_push(to);
}

void vr_inbox_push(struct vr_rank *to, struct vr_node *n)
{
	struct vr_node *head = NULL; /* likely, and asking first would fetch the line twice */
	do
		n->next = head;
	while (!atomic_compare_exchange_weak(&to->inbox, &head, n));
	if (!head)
		announce(to);
}

struct vr_fastbox *vr_fastbox_open(struct vr_rank *to)
{
	struct vr_node *empty = NULL;
	return atomic_compare_exchange_strong(&to->inbox, &empty, VR_FASTBOX) ? &to->fastbox : NULL;
}

void vr_fastbox_send(struct vr_rank *to)
{
	atomic_store(&to->fastbox.full, 1);
	announce(to);
}

/* Whoever filled the inbox that was watched until now may have relied on it. */
void vr_pe_watch(struct vr_rank *r)
{
	struct vr_rank *old = atomic_load_explicit(&vr_pe->watched, memory_order_relaxed);
	if (old == r)
		return;
	atomic_store(&vr_pe->watched, r);
	if (old && atomic_load(&old->inbox) && !atomic_exchange(&old->on_wake, 1))
		wake_push(old);
}

static void look_at_watched(void)
{
	struct vr_rank *r = atomic_load_explicit(&vr_pe->watched, memory_order_relaxed);
	if (vr_is_mine(r))
		vr_inbox_drain(r);
	else
		vr_pe_watch(NULL);
}

static struct vr_node *reverse(struct vr_node *n)
{
	struct vr_node *list = NULL;
	while (n && n != VR_FASTBOX) {
		struct vr_node *next = n->next;
		n->next = list;
		list = n;
		n = next;
	}
	return list;
}

/* What lies at the bottom of the inbox. 1: a fastbox, with a copy of it. 0: a node; it stays at the bottom until the owner takes
 * all. -1: nothing yet: the inbox is empty, and a fastbox may come to lie in it any time, or the sender of the fastbox still
 * writes. Senders announce fastbox messages when they are full, so a look that came too early is repeated. */
static int take_fastbox(struct vr_rank *r, struct vr_fastbox *copy)
{
	struct vr_node *n = atomic_load_explicit(&r->inbox, memory_order_acquire);
	if (!n)
		return -1;
	while (n && n != VR_FASTBOX)
		n = n->next;
	if (!n)
		return 0;
	if (!atomic_load_explicit(&r->fastbox.full, memory_order_acquire))
		return -1;
	*copy = r->fastbox;
	atomic_store_explicit(&r->fastbox.full, 0, memory_order_relaxed);
	return 1;
}

void vr_inbox_drain(struct vr_rank *r)
{
	struct vr_fastbox fastbox;
	int has_fastbox = take_fastbox(r, &fastbox);
	if (has_fastbox < 0)
		return;
	vr_progress_hooks_hold();
	struct vr_node *n = reverse(atomic_exchange(&r->inbox, NULL));
	if (has_fastbox)
		vr_core_hooks.fastbox(r, &fastbox);
	while (n) {
		struct vr_node *next = n->next;
		vr_core_hooks.message(r, n);
		n = next;
	}
	vr_progress_hooks_release();
}

/* Before a restart there may have been more PEs: others do the work of those now. */
void vr_pe_post(int pe, struct vr_work *w)
{
	struct vr_pe *p = &vr_job->pe[vr_likely(pe < vr_job->pes) ? pe : pe % vr_job->pes];
	struct vr_node *head = atomic_load_explicit(&p->inbox, memory_order_relaxed);
	do
		w->node.next = head;
	while (!atomic_compare_exchange_weak(&p->inbox, &head, &w->node));
	vr_pe_ring(p);
}

static void work(void)
{
	struct vr_node *n = reverse(atomic_exchange_explicit(&vr_pe->inbox, NULL, memory_order_acquire));
	while (n) {
		struct vr_node *next = n->next;
		struct vr_work *w = (struct vr_work *)n;
		w->run(w);
		n = next;
	}
}

/* A rank that moved away while it was on the list goes on to the list of its new PE. One that is about to come has its inbox looked into
 * when it does. */
static void wake_one(struct vr_rank *r)
{
	if (atomic_load_explicit(&r->pe, memory_order_acquire) == (vr_pe->id | VR_IN_TRANSIT)) {
		atomic_exchange(&r->on_wake, 0);
		return;
	}
	if (!vr_is_mine(r)) {
		wake_push(r);
		return;
	}
	atomic_exchange(&r->on_wake, 0);
	vr_inbox_drain(r);
}

void vr_wakes_rescue(struct vr_pe *of)
{
	struct vr_rank *r = atomic_exchange(&of->wake, NULL);
	while (r) {
		struct vr_rank *next = r->wake_next;
		wake_one(r);
		r = next;
	}
}

int vr_pe_poll(void)
{
	if (!vr_pe_has_news())
		return 0;
	if (vr_pe_has_watched())
		look_at_watched();
	if (!atomic_load_explicit(&vr_pe->wake, memory_order_relaxed) && !atomic_load_explicit(&vr_pe->inbox, memory_order_relaxed))
		return 1;
	vr_wakes_rescue(vr_pe);
	if (atomic_load_explicit(&vr_pe->inbox, memory_order_relaxed))
		work();
	return 1;
}
