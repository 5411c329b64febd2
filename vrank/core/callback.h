/* Functions that the PE calls on a rank's stack, callback.c. */
#ifndef VRANK_CALLBACK_H
#define VRANK_CALLBACK_H

#include "vrank/core/rank.h"

/* So many ranks are lent to functions that must not wait: see callback.c. Then the PE's budget is negative, which leads who
 * would switch into the slow path. */
extern int vr_in_callbacks;
void *vr_callback_prepare(struct vr_context *context, void (*fn)(void *), void *arg);

#endif
