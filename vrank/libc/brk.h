/* The program break of a rank, brk.c. */
#ifndef VRANK_BRK_H
#define VRANK_BRK_H

#include "vrank/core/rank.h"

/* Bytes that rank r has reserved for its break and does not use. */
uint64_t vr_break_idle(const struct vr_rank *r);

#endif
