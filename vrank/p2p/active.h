/* Active messages: they are not matched, but handed over where they arrive, in the order in which a rank has sent them to another one. This
 * is all that remote calls know of how messages travel.
 *
 * A message is data, of any size, and a trailer of a few bytes. What is small travels in an envelope. Of what is large the receiver gets to see
 * the sender's memory, until it says that it is done. */
#ifndef VRANK_ACTIVE_H
#define VRANK_ACTIVE_H

#include "vrank/core/job.h"

/* Contexts with this bit are of active messages. */
#define VR_ACTIVE (1u << 31)
#define VR_ACTIVE_TRAILER 64

struct vr_active {
	uint32_t context; /* without VR_ACTIVE */
	int32_t source, tag; /* as the receiver is to see them */
	int32_t dest_world;
	const void *data;
	int64_t bytes;
	const void *trailer;
	uint32_t trailer_bytes; /* VR_ACTIVE_TRAILER at most */
	int32_t stays; /* data stays where it is until an answer from the receiver has come */
};

/* The owner of `me`, any stack. Send a message of that rank; it never waits. 0, or -1 without memory. */
int vr_active_send(struct vr_rank *me, const struct vr_active *m);

/* What has arrived. */
struct vr_arrived {
	const void *data; /* aligned to 32 bytes when it came with the envelope, else as it was */
	int64_t bytes; /* with the trailer */
	const char *trailer_end; /* who reads it knows by its end how long it is */
};

/* Any stack of the receiver's owner. Look into a message; valid until vr_active_done. */
struct vr_arrived vr_active_open(struct vr_env *e);

/* The owner of the receiver: nobody looks at it any more. */
void vr_active_done(struct vr_env *e);

/* The owner of `to`, any stack: takes a message, which it frees some day. Set before ranks start. */
extern void (*vr_active_handler)(struct vr_rank *to, struct vr_env *e);

#endif
