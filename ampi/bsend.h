/* Buffered sends (MPI 5.0 section 3.6): what they share with persistent requests and with the objects that have buffers. */
#ifndef AMPI_BSEND_H
#define AMPI_BSEND_H

#include "ampi.h"

/* Copy a message away and send it; the class that was raised, or 0. Its arguments are checked, its mode is VR_BUFFERED. */
int ampi_bsend(struct ampi_comm *c, int fn, const struct vr_message *m);

/* The handle of a communicator or session goes away: so does the buffer attached to it, once its messages have left. Sleeps. */
void ampi_buffer_drop(uint64_t owner, int fn);

#endif
