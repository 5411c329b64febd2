/* Buffered sends (MPI 5.0 section 3.6): what they share with persistent requests and with the objects that have buffers. */
#ifndef AMPI_BSEND_H
#define AMPI_BSEND_H

#include "ampi/ampi.h"
#include "ampi/p2p/request.h"

/* An attached buffer, or what is left of one: its messages may outlive a flush, never a detach. */
struct ampi_buffer {
	struct ampi_buffer *next; /* of this rank */
	uint64_t owner; /* handle of the communicator or session; 0: the process */
	void *base;
	int64_t size, used;
	int64_t pending; /* messages that nobody has received yet */
	uint64_t sent; /* messages that ever were pending */
	struct ampi_flush *flushes;
};

/* MPI_*_iflush: waits for the messages up to a number. */
struct ampi_flush {
	struct ampi_activity activity;
	struct vr_request *self;
	struct ampi_flush *next;
	int64_t waiting;
	uint64_t up_to;
};

/* The buffer that is attached to a communicator or session, by handle, or (0) to the process; NULL when none is. */
struct ampi_buffer *ampi_buffer_of(uint64_t owner);

/* Copy a message away and send it; the class that was raised, or 0. Its arguments are checked, its mode is VR_BUFFERED. */
int ampi_bsend(struct ampi_comm *c, int fn, const struct vr_message *m);

/* The handle of a communicator or session goes away: so does the buffer attached to it, once its messages have left. Sleeps. */
void ampi_buffer_drop(uint64_t owner, int fn);

#endif
