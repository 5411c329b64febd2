/* Having the PE stand still while another thread looks at its ranks, whatever it does: a signal's handler waits, so that nothing of
 * what it has interrupted changes. In Go code, where a thread must not wait unknown to the Go runtime, it goes on to its next step
 * into the core. */
#ifndef VRANK_PARK_H
#define VRANK_PARK_H

#include <signal.h>
#include <stdint.h>

#include "vrank/core/registers_amd64.h"

/* PE thread, once. NULL, or what went wrong. */
const char *vr_park_setup(void);

/* PE stack: the core is entered, and left. */
void vr_park_enter(void);
void vr_park_leave(void);

/* Any other thread, one at a time: 1 when the PE stands still, until vr_park_release; 0 when it does not come to that in time. */
int vr_park_ask(int64_t nanoseconds);
void vr_park_release(void);

/* Registers of the PE thread while it stands still; zeroes when it runs no rank. */
extern uint64_t vr_park_regs[VR_REGS];
extern uint64_t vr_park_vectors; /* vr_regs_vectors of these */

/* Not for ranks to have. */
#define VR_PARK_SIGNAL (SIGRTMAX - 5)

#endif
