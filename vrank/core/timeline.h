/* What a PE did and when, in a ring of shared memory: the PE writes, the manager empties it. What comes too often to be kept one by one is kept as
 * sums, so no time is missing, and a ring is never waited for. */
#ifndef VRANK_TIMELINE_H
#define VRANK_TIMELINE_H

#include "vrank/core/rank.h"

enum vr_moment_kind {
	VR_MOMENT_RUN = 1, /* `rank` ran for `length`; `fn`: what it then waited for */
	VR_MOMENT_IDLE, /* there was nothing to run */
	VR_MOMENT_MANY, /* several of both: `amount` runs that took `flow` ticks in all, the rest is idle or the runtime's */
	VR_MOMENT_SENT, /* `rank` sent `amount` bytes to `peer` */
	VR_MOMENT_RECEIVED, /* `rank` has the message with the same flow */
	VR_MOMENT_LEFT, /* `rank` goes to PE `peer` */
	VR_MOMENT_CAME,
};

struct vr_moment {
	uint64_t at, length; /* time-stamp counter */
	uint64_t flow; /* of messages: equal at both ends */
	int64_t amount;
	int32_t rank, peer;
	int32_t kind, fn; /* fn: AMPI_FN_ of the call, or -1 */
};

#define VR_MOMENTS 32768 /* in a ring, a power of two */
#define VR_MOMENTS_SPARE 1024 /* that only moves may fill */

struct vr_timeline {
	alignas(VR_LINE) _Atomic uint64_t head; /* written so far */
	/* What a quantum of time has left to record one by one. */
	uint64_t renew_at;
	int32_t runs, messages;
	int32_t has_many;
	struct vr_moment many; /* the sum that grows */
	/* What runs, for when it never ends. */
	_Atomic int32_t rank; /* -1: none */
	uint64_t since;
	uint64_t flows; /* messages that were recorded */
	uint64_t flows_before; /* when this run of the job began */
	uint64_t unrecorded; /* messages that were not */
	uint64_t lost; /* moves for which there was no room */
	alignas(VR_LINE) _Atomic uint64_t tail; /* read so far: the manager's */
	struct vr_moment moment[VR_MOMENTS];
};

/* What may be recorded in a quantum by each PE: the same in all workers. */
struct vr_timeline_limit {
	uint64_t quantum; /* ticks */
	uint64_t long_run; /* ticks: so long a run is recorded as long as there is anything left */
	int32_t runs, messages;
};
extern struct vr_timeline_limit vr_timeline_limit;
extern int vr_timeline_on; /* implies vr_measure and vr_traffic_on */

/* Bytes of control area for each PE. */
uint64_t vr_timeline_size(void);

/* PE stack, before ranks run: record this PE. */
void vr_timeline_begin(void);

/* Any stack of the PE: `from` has run until now, `to` begins; NULL is the PE loop. */
void vr_timeline_switch(const struct vr_context *from, const struct vr_context *to, uint64_t now);

/* PE stack: there was nothing to run. */
void vr_timeline_idle(uint64_t since, uint64_t now);

/* Any stack of the PE: a message goes out. What to give to vr_timeline_received, or 0 when it is not recorded. */
uint64_t vr_timeline_sent(const struct vr_rank *from, int32_t to, int64_t bytes);
void vr_timeline_received(const struct vr_rank *r, uint64_t flow, int64_t bytes);

/* PE stack. */
void vr_timeline_left(const struct vr_rank *r, int32_t to);
void vr_timeline_came(const struct vr_rank *r);

/* The one process that empties rings: copy at most `room` moments of a PE. */
int vr_timeline_read(int pe, struct vr_moment *out, int room);

/* The same process, when the PE's process has ended: what was not yet in its ring. At most 2. */
int vr_timeline_rest(int pe, uint64_t now, struct vr_moment *out);

#endif
