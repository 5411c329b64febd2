/* Memory that programs ask the C library for, allocation.c. */
#ifndef VRANK_ALLOCATION_H
#define VRANK_ALLOCATION_H

#include "vrank/core/rank.h"

/* Report full and damaged heaps by rank; PE stack, once. */
void vr_heap_handlers(void);

/* Walk a rank's heap: 0, or -1 with the reason. The owner. */
int vr_heap_sound(struct vr_rank *r, char *why, size_t n);

/* Nested functions of GNU C and gfortran need their stack executable. 0, or -1. */
int vr_stack_allow_code(void *stack, uint64_t size);

#endif
