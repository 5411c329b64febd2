/* Ranks that go to another worker of the node. No memory is copied: the owner changes. (Under +migrate copy the memory is copied all the
 * same, while the rank is in transit: vrank/copy.go.)
 *
 * An order asks the owner of a rank to send it. Between two runs of ranks the owner takes the rank out of its lists, gives it its packed MPI state
 * (what Go keeps of it), and hands it over: from then on it is in transit, and whoever has something for it puts that into its
 * inbox. The receiver maps what it lacks of the rank's images, puts it into lists of its own, and looks into the inbox. */
#ifndef VRANK_MOVE_H
#define VRANK_MOVE_H

#include "vrank/core/schedule.h"

/* What has become of an order, for somebody who waits for that: in the arena, and that one's to free. */
struct vr_receipt {
	_Atomic int32_t is_over;
	int32_t is_late; /* the rank had moved before the order came to its owner */
	char why[128]; /* the rank stays; "": it has arrived */
};

struct vr_move {
	struct vr_work work;
	struct vr_move *next;
	struct vr_rank *rank;
	int32_t to;
	int32_t is_own; /* the rank itself wants to go */
	int32_t is_steal; /* the PE that it goes to has asked for it */
	struct vr_pe *taken_from; /* it has been taken, without an order; or NULL */
	uint64_t taken_at; /* time-stamp counter */
	int32_t place; /* enum vr_place: where the scheduler had it */
	struct vr_receipt *receipt; /* or NULL */
};

/* Any stack, any worker. Ask that rank r goes to PE `to`. -1 when there is no memory to ask. */
int vr_move_order(struct vr_rank *r, int32_t to);

/* The same with a receipt. A rank whose program wants to know when it goes stays: only its program's calls have it go. NULL: no memory. */
struct vr_receipt *vr_move_order_receipt(struct vr_rank *r, int32_t to);

/* Any stack, any worker: has PE `id` orders that it has not got round to? A guess. */
int vr_move_is_behind(int32_t id);

/* Any stack of the owner: the same for a ready rank that PE `to` has asked for. */
int vr_move_give(struct vr_rank *r, int32_t to);

/* PE stack: rank r, which another PE has offered, is this one's at once, or an arrival, if the one before is in. */
int vr_move_may_take(void);
void vr_move_taken(struct vr_rank *r, struct vr_pe *from, uint64_t since);

/* Rank stack: go to another PE now. NULL, or why that cannot be; switches. */
const char *vr_move_self(int32_t to);

/* PE stack: the oldest order or arrival that Go has to look after, or NULL. */
struct vr_move *vr_move_next_order(void);
struct vr_move *vr_move_next_arrival(void);

/* Any stack of the owner: why a rank cannot be sent away that has not asked to go, or NULL. */
const char *vr_move_unasked(const struct vr_rank *r);

/* Any stack: is this the work by which somebody asks for a move? */
int vr_move_is_order(const struct vr_work *w);

/* Any stack of the owner: what holds a rank in its process, or NULL. */
const char *vr_move_hold(const struct vr_rank *r);

/* PE stack: why the rank of an order cannot be sent, or NULL. */
const char *vr_move_obstacle(const struct vr_move *m);

/* PE stack: send what the rank of an order has in this process ahead. NULL, or why it stays: for good where *never is set. */
const char *vr_move_pack(struct vr_move *m, int *never);

/* PE stack: the rank is no longer this worker's, but in transit. */
void vr_move_detach(struct vr_move *m);

/* Any thread, any worker: the memory of rank r, which is in transit, is there. */
void vr_move_arrive(struct vr_rank *r);

/* PE stack: what the rank of an arrival has in processes becomes this one's. NULL, or what is wrong. */
const char *vr_move_unpack(struct vr_move *m);

/* PE stack: the rank of an arrival, whose images are ready, is this worker's. Frees m. */
void vr_move_finish(struct vr_move *m);

/* PE stack: nothing comes of an order, for this reason. */
void vr_move_drop(struct vr_move *m, const char *why);

#endif
