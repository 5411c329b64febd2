/* Numbers of ranks' descriptors. A descriptor keeps its number when its rank moves, so in a job whose ranks can move no two ranks have
 * the same one, in whichever workers they are: a table in the shared memory tells whose each number is. Numbers below `fd_first`
 * are those that the program has chosen and what is about to move up. The runtime's own: reach.h. */
#ifndef VRANK_NUMBERS_H
#define VRANK_NUMBERS_H

#include <stdio.h>

#include "vrank/core/job.h"

/* Rank stack, or a thread of a rank: a descriptor has just been made for the program. It moves to a number of the rank's own, which is
 * returned. Without one the rank is pinned, and the descriptor stays as it is. Keeps errno; a negative number is returned as it is. */
int vr_fd_keep(int fd);
FILE *vr_file_keep(FILE *f);

/* The program has chosen a number, by dup2: before that. -1 when it is another rank's (EBUSY), or the runtime's (EBADF). And after that, with what
 * dup2 has given, which is returned. */
int vr_fd_choose(int fd);
int vr_fd_chosen(int fd);

/* A descriptor has been closed. */
void vr_fd_gone(int fd);

/* The descriptors of rank r that are open: at most n of them into fds, and how many there are. The owner. */
int vr_fds_of(struct vr_rank *r, int *fds, int n);

/* Any thread: a descriptor of the runtime's moves to where ranks get numbers last. Ranks cannot reach it. Its number now. */
int vr_fd_aside(int fd);

/* Lay the table out, in the job's memory. Once, with the job. */
void vr_numbers_init(struct vr_job *job);

#endif
