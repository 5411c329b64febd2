/* The cores that a rank has asked for, affinity.c. */
#ifndef VRANK_AFFINITY_H
#define VRANK_AFFINITY_H

#include "vrank/core/rank.h"

/* A thread that rank r has started without saying where it shall run: it takes over what the rank has asked for. */
void vr_affinity_inherit(const struct vr_rank *r);

#endif
