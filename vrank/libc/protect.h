/* Protections of a rank's memory, protect.c. */
#ifndef VRANK_PROTECT_H
#define VRANK_PROTECT_H

#include "isomalloc/heap.h"
#include "vrank/core/rank.h"

/* Memory of a heap, of the current rank or of r, has this protection from now on. */
void vr_protect_note(void *at, size_t n, int prot);

/* The owner: the first part of [lo, hi) with another protection than reading and writing, or with a file. Its protection, or -1. */
int vr_protected_part(const struct vr_rank *r, uint64_t lo, uint64_t hi, struct iso_range *part);
void vr_protect_note_of(struct vr_rank *r, void *at, size_t n, int prot);

/* The owner, for a rank that goes, or has come: the protections of its memory. 0, or -1. */
void vr_protect_leave(struct vr_rank *r);
int vr_protect_enter(struct vr_rank *r);

#endif
