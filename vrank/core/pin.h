/* Ranks that cannot be moved to another worker, pin.c. */
#ifndef VRANK_PIN_H
#define VRANK_PIN_H

#include "vrank/core/rank.h"

/* Rank r has something that its slice does not hold and that no other worker could give it: it stays where it is from now on. The first
 * reason is kept, in the words that follow "cannot move: ". Rank stack, PE stack, threads of ranks. */
void vr_rank_pin(struct vr_rank *r, const char *why, ...) __attribute__((format(printf, 2, 3)));

#endif
