/* A PE that has nothing to run, idle.c. */
#ifndef VRANK_IDLE_H
#define VRANK_IDLE_H

#include "vrank/core/job.h"

extern uint64_t vr_spin_ticks; /* how long an idle PE looks for news before it sleeps */

/* PE stack: nothing is ready. Spin, then sleep until there is something; `hot` blocked last, the next message is likely to be for it. 1 when
 * the job is found to be deadlocked. */
int vr_idle(struct vr_rank *hot);

/* A rank has ended; PEs sleep no longer when it was the last one. */
void vr_job_one_less(void);

/* Any thread of any worker: end a PE's sleep. */
void vr_pe_ring(struct vr_pe *pe);

#endif
