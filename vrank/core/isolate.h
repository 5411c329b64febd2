/* +isolate: while a rank's own code runs, the slices of all other ranks cannot be touched. A stray store into one is a fault, and the report
 * says whose memory it was.
 *
 * It is done by protection keys. A rank that runs has a key of its own for what it may write to in its slice; the slices of those that have none, other
 * workers' ranks among them, have a key that no rank may use. There are 16 keys, so ranks take turns when a worker has more of them than that, which
 * costs system calls at switches.
 *
 * All is open while the runtime runs. Calls of MPI go through a gate that opens at the entry and closes at the return (ampi/guard_gen_amd64.S);
 * functions of the C library that give way open in schedule.c, and handlers of signals begin open. What the runtime touches elsewhere faults, and
 * all is open for that one instruction. */
#ifndef VRANK_ISOLATE_H
#define VRANK_ISOLATE_H

#include "vrank/core/pkru_amd64.h"
#include "vrank/core/rank.h"

extern int vr_isolated;

/* PE stack, once, before ranks are made. NULL, or why it cannot be done. */
const char *vr_isolate_setup(void);

/* PE stack, once, before ranks run: what of image areas can be written to, offsets of beginnings and ends; is the stack executable? */
void vr_isolate_images(const uint64_t *ranges, int n, int stack_has_code);

/* Any stack of the PE: from now on the current rank's own code runs. 1 when all was open before. The MPI gate calls it on its way back. */
int vr_isolate_close(void);

/* Any thread: all is open. 1 when it was not. */
static inline int vr_isolate_open(void)
{
	if (vr_likely(!vr_isolated) || vr_pkru_get() == VR_PKRU_OPEN)
		return 0;
	vr_pkru_set(VR_PKRU_OPEN);
	return 1;
}

/* Any stack of the PE: undo what vr_isolate_open has returned. */
static inline void vr_isolate_restore(int opened)
{
	if (vr_unlikely(opened))
		vr_isolate_close();
}

/* Memory of slice `id` was mapped anew. */
void vr_isolate_mapped(int64_t id, uint64_t lo, uint64_t hi);

/* The rank has come, and no library that it has opened at run time is mapped here yet. */
void vr_isolate_libraries(const struct vr_rank *r);

/* Rank stack: it is about to start a thread, which has its key from then on. NULL, or why it cannot. */
const char *vr_isolate_may_thread(void);

/* Handlers on any thread. SIGSEGV by a key: 1 when it is the runtime's, for whose instruction all is open now: try again. SIGTRAP: 1 when it was
 * that, and has been carried out. */
int vr_isolate_admit(uint64_t address, ucontext_t *uc);
int vr_isolate_stepped(ucontext_t *uc);

#endif
