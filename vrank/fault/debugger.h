/* A worker that waits for a debugger, debugger.c. */
#ifndef VRANK_DEBUGGER_H
#define VRANK_DEBUGGER_H

/* PE stack: wait until a debugger sets vr_debugger_ready to 1 (debugger/). */
void vr_debugger_await(void);
extern volatile int vr_debugger_ready;

#endif
