/* Threads that ranks start, rank_threads.c. */
#ifndef VRANK_RANK_THREADS_H
#define VRANK_RANK_THREADS_H

#include "vrank/core/rank.h"

/* The program's allocator is jemalloc, whose threads reach into each other's thread-local variables. Set before ranks start. */
extern int vr_links_threads;

/* Rank stack. Have the rank's program call MPI through the table that looks at who calls. */
void vr_guard_calls(struct vr_rank *r);

#endif
