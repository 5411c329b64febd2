/* A PE with nothing to run takes ready ranks from another one of its node: first those that are stealable (stealable.h). Else it asks the PE that
 * has most, which answers when it next looks for news, between two runs of ranks. */
#ifndef VRANK_STEAL_H
#define VRANK_STEAL_H

#include "vrank/core/hooks.h"

/* PE stack, while this PE is idle: take what somebody stealable, else ask whoever has most, unless it has been asked already. 1 when a rank
 * has come. */
int vr_steal_try(void);

/* Any stack of the owner: can a ready rank be given away? */
int vr_steal_may_go(const struct vr_context *c);

/* Ticks that a rank is likely to run, from its mean so far. */
uint64_t vr_likely_run(const struct vr_rank *r);

/* PE stack of the thief, or of the victim: a rank that was asked for has come, or does not come. */
void vr_steal_over(int32_t thief, int has_come);

/* Any stack: is this work by which a thief asks? */
int vr_steal_is_question(const struct vr_work *w);

/* PE stack: a rank that was taken at this time is here. */
void vr_steal_came(uint64_t since);

#endif
