/* The life of a rank, life.c. */
#ifndef VRANK_LIFE_H
#define VRANK_LIFE_H

#include "vrank/core/rank.h"

/* PE stack: make the control block of a rank of this PE, ready to run. 0, or -1 when the heap cannot be made. */
int vr_rank_init(struct vr_rank *r, int id, unsigned heap_flags);
void vr_rank_start(struct vr_rank *r);
void vr_rank_adopt(struct vr_rank *r); /* it is this PE's from now on */
void vr_rank_release(struct vr_rank *r); /* and this PE's no longer */

/* Rank stack: end this rank; does not return. */
void vr_rank_exit(int code) __attribute__((noreturn));

/* Tell the C library that rank r uses its environment and its program's name. PE stack of the owner, or the rank's. */
void vr_rank_introduce(struct vr_rank *r);

/* Tells a rank's C library whether it may leave out atomic instructions and the waking of others. */
void vr_single_threaded(const struct vr_entry *e, int is);

/* Ranks allocate with their C library. Set before ranks start. */
extern int vr_host_heap;

/* The function table that a program's shim unpacks; set by the MPI layer before ranks start. */
extern const void *vr_shim_table;

/* The one for programs that have threads; set likewise, or NULL. */
extern const void *vr_shim_guarded;

/* Called on the rank's stack when it is about to end, before its exit handlers: the MPI layer's say. */
extern void (*vr_rank_ending)(int code);

#endif
