/* Ranks that compute while the job is to freeze: where they may be interrupted. preempt.h has how.
 *
 * What is frozen may go on in another process, and what else lies in the rank's slice does so with it: locks that it holds, buffers
 * half filled. Nothing in its registers and on its stack may be this process's alone. At a call of the runtime that is so. Elsewhere it is
 *
 * - in code of the program and its libraries, which know of the process only what the runtime gives them,
 * - but not in the C library, which has addresses of ld.so's variables and of the kernel's functions in registers, and descriptors that
 *   nobody else knows of, until its functions return. Of these only the ones that move, compare and search memory and strings are
 *   left, when they are called from elsewhere: loops of them may take long,
 * - and not in the runtime, whose state is not all in the slice.
 *
 * Where it may not be, it is tried again a little later. */
#ifndef VRANK_INTERRUPT_H
#define VRANK_INTERRUPT_H

#include "vrank/core/rank.h"

/* PE thread, in a handler: rank r is at `pc` with this stack pointer. */
int vr_interrupt_may(const struct vr_rank *r, uint64_t pc, uint64_t sp);

/* PE stack, once: these pieces of code in the images are functions that were chosen by what the processor has, as [start, end) by offset. */
void vr_interrupt_set_chosen(const uint64_t *pieces, int n);

#endif
