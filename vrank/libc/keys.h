/* Thread-specific data, keys.c. */
#ifndef VRANK_KEYS_H
#define VRANK_KEYS_H

#include "vrank/core/rank.h"

/* The rank whose images are being made: constructors of its libraries may run, on the PE stack. NULL otherwise. */
extern struct vr_rank *vr_placing;

/* The values of the keys of a thread that a rank started, at its end. */
void vr_keys_end(void ***values);

#endif
