/* A PE with nothing to run takes ready ranks from the one of its node that has most of them. It asks; the other answers when it next
 * looks for news, between two runs of ranks. */
#ifndef VRANK_STEAL_H
#define VRANK_STEAL_H

#include "core.h"

/* How to steal: the same in all workers. */
struct vr_steal_policy {
	int32_t is_on;
	int32_t half; /* take half of what is ready, else one rank */
	uint64_t cost; /* ticks: less work than that is left alone */
};
extern struct vr_steal_policy vr_steal_policy;

/* An idle PE looks at the others so often, in nanoseconds. */
#define VR_STEAL_LOOK 1000000

/* PE stack, while this PE is idle: ask whoever has most, unless it has been asked already. */
void vr_steal_ask(void);

/* PE stack of the thief, or of the victim: a rank that was to be stolen has come, or does not come. */
void vr_steal_over(int32_t thief, int has_come);

/* Any stack: is this work by which a thief asks? */
int vr_steal_is_question(const struct vr_work *w);

#endif
