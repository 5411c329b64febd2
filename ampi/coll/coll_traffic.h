/* What collective calls through shared memory add to who sends how much to whom (vrank/p2p/traffic.h): the messages that they would be.
 *
 *	barrier			up and down a binomial tree of the members, with member 0 on top; no bytes
 *	broadcast, reduce	down, or up, such a tree with the root on top
 *	allreduce		up and down the tree
 *	reduce-scatter		up the tree, then from member 0 to everybody
 *	gather, scatter		straight between root and member
 *	allgather		round a ring: what a member contributes, size - 1 times
 *	alltoall		straight, or as sched_bruck.c sends small blocks: to the members 1, 2, 4, ... further on
 *	scan			from each member to the next one
 *
 * Every member adds what it would send. On the rank's stack, between the call's begin and its end; nothing is done unless
 * traffic is counted. */
#ifndef AMPI_COLL_TRAFFIC_H
#define AMPI_COLL_TRAFFIC_H

#include "ampi/coll/coll.h"
#include "vrank/p2p/traffic.h"

/* root is -1 when there is none; bytes are those of one vector or block of this member. */
void ampi_traffic_note(const struct ampi_shm_coll *m, enum ampi_coll kind, int root, int64_t bytes);

/* This member sends the blocks of a layout, each to whom it belongs: alltoallv, and the root of a scatter. */
void ampi_traffic_note_blocks(const struct ampi_shm_coll *m, const struct ampi_layout *l);

static inline void ampi_traffic(const struct ampi_shm_coll *m, enum ampi_coll kind, int root, int64_t bytes)
{
	if (vr_unlikely(vr_traffic_on))
		ampi_traffic_note(m, kind, root, bytes);
}

static inline void ampi_traffic_blocks(const struct ampi_shm_coll *m, const struct ampi_layout *l)
{
	if (vr_unlikely(vr_traffic_on))
		ampi_traffic_note_blocks(m, l);
}

#endif
