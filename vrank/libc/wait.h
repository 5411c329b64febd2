/* Waiting for what is outside of the job: a process, a descriptor, a lock. The kernel cannot be asked to wait, since it would stop
 * all ranks of the worker; so the rank asks again and again, and sleeps in between as others run. */
#ifndef VRANK_WAIT_H
#define VRANK_WAIT_H

#include <stdint.h>
#include <sys/types.h>

#include "vrank/core/schedule.h"

#define VR_PAUSE_MIN 2000
#define VR_PAUSE_MAX 1000000

struct vr_pause {
	int64_t next; /* nanoseconds */
	int64_t until; /* of vr_now(), or 0 */
	int any; /* every handler interrupts the call, not only those without SA_RESTART */
};
#define VR_PAUSE ((struct vr_pause){VR_PAUSE_MIN, 0, 0})

/* Rank stack, or a thread of a rank. Sleep until it is time to look again: 0; EINTR when a signal's handler has run that interrupts
 * calls, ETIMEDOUT when the time is over. */
int vr_pause(struct vr_pause *p);

/* A time to wait as calls have it; a negative one is for ever. */
static inline struct vr_pause vr_pause_for(int64_t nanoseconds)
{
	return (struct vr_pause){VR_PAUSE_MIN, nanoseconds < 0 ? 0 : vr_now() + nanoseconds, 1};
}

/* Will waiting in the kernel hold up nobody? */
int vr_may_block(void);

/* How much of n bytes one call writes to fd without waiting, once that is ready. */
size_t vr_piece(int fd, size_t n);

/* write(), as much of it at once as others are not held up by. */
ssize_t vr_write_patiently(int fd, const void *data, size_t n);

/* Wait until a descriptor is ready for `events` of poll. 0, or an errno. One that must not block is always ready. */
int vr_await_fd(int fd, int events);

#endif
