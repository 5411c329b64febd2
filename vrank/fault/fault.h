/* Signals of faults, fault.c. */
#ifndef VRANK_FAULT_H
#define VRANK_FAULT_H

#include "vrank/core/rank.h"
#include "vrank/core/registers_amd64.h"

/* Install the handlers of the faults that ranks may cause. PE thread, after the Go runtime's are there. */
const char *vr_fault_setup(void);

/* Is this one of those signals? */
int vr_fault_is(int signal);

/* The worker's handler shall see this signal from now on. */
void vr_signal_claim(int signal);

/* Has a rank of this worker asked for the signal? Any thread. */
int vr_signal_is_claimed(int signal);

/* What the last fault was; PE stack. */
struct vr_fault {
	int signal, code;
	uint64_t address;
	int is_store;
	uint64_t regs[VR_REGS];
};
extern struct vr_fault vr_fault;

/* PE stack, after VR_FAULT: do again what the rank died of, with no handler: the process ends as if it were the rank, and leaves a
 * core file of that moment. */
void vr_fault_repeat(struct vr_context *context) __attribute__((noreturn));

#endif
