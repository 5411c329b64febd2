/* Who sends how much to whom: counted at each send, in the slice of the sender, while that is wanted. The MPI layer adds what
 * collective operations move without messages. */
#ifndef VRANK_TRAFFIC_H
#define VRANK_TRAFFIC_H

#include "vrank/core/rank.h"

/* Entries are added, never removed; free ones have no messages. Grows by taking the place of another. */
struct vr_traffic {
	uint32_t room; /* a power of two */
	uint32_t used;
	struct vr_peer {
		int32_t rank; /* in MPI_COMM_WORLD */
		int32_t is_used;
		uint64_t messages, bytes;
	} peer[];
};

extern int vr_traffic_on; /* the same in all workers */

/* The owner of r. */
void vr_traffic_add(struct vr_rank *r, int32_t to, int64_t bytes);

/* Any thread of any worker: copy at most `room` entries of rank r. How many there were to copy. */
int vr_traffic_read(const struct vr_rank *r, struct vr_peer *out, int room);

#endif
