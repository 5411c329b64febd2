/* Descriptors that go with a rank from worker to worker. Each worker has a socket at which it gets them, and one to each other worker; the
 * manager makes them (job/spawn.go). What is sent is there before the receiver hears of the rank. */
#ifndef VRANK_FD_PASSING_H
#define VRANK_FD_PASSING_H

#include "vrank/core/rank.h"

#define VR_FDPASS_LOAD 250 /* descriptors in one message, of which the kernel takes 253 */
#define VR_FDPASS_MAX 4000 /* of one rank: what lies in a socket is bounded, too */

/* PE stack, once: the descriptor of this worker's socket to receive, after which come those to send to PE 0, 1, ... */
void vr_fdpass_setup(int receives, int pes);

/* PE stack: send the descriptors of rank r to PE `to`; they are closed here by vr_fdpass_close. NULL; or why it cannot be now, with *never
 * set where that will not change. */
const char *vr_fdpass_send(struct vr_rank *r, int to, int *never);
void vr_fdpass_close(void);

/* PE stack: take those of a rank that has come. NULL, or what is wrong. */
const char *vr_fdpass_receive(struct vr_rank *r);

#endif
