/* Which descriptors are within a rank's reach: its own, and those that nobody is known to have made.
 *
 * The runtime's descriptors, and those of other ranks, are to a rank as if they were not there. The runtime's have high numbers: what a worker
 * is started with is moved up before anything else runs, and until its job is set up all lower numbers are taken, so that what Go and libraries
 * open for themselves lies there as well. */
#ifndef VRANK_REACH_H
#define VRANK_REACH_H

#include "vrank/core/rank.h"

#define VR_FD_LIMIT 65536 /* numbers from here on are nobody's business */
#define VR_FD_RUNTIME -1 /* as an owner */

/* The first number that the runtime takes, the same in all workers of a job; what a worker is started with as 3, 4, ... begins there. 3 where
 * the limit of descriptors leaves no choice. And how many it may take. */
extern int vr_fd_base, vr_fd_room;

/* PE stack, when the runtime is set up and no rank runs: what is open from vr_fd_base on is the runtime's, the numbers below are free. */
void vr_reach_begin(void);

/* Any thread: descriptor fd is the runtime's, or that of rank id with id + 1; 0: nobody's. */
void vr_reach_set(int fd, int owner);

/* Rank stack, threads and children of ranks. Not within the rank's reach, for any call. */
int vr_reach_denies(int fd);
int vr_reach_is_runtimes(int fd);

/* The rank's own, but only because the runtime needs it for the rank: it is not there for the program. And those that are there, since a stream
 * has the number, but not to be closed or listed. */
int vr_reach_hides(int fd);
int vr_reach_keeps(int fd);

/* Child of a fork: close what is not the rank's. */
void vr_reach_fork(void);

/* descriptor_list.c. A path that names the list of this process's descriptors has been opened; the descriptor is being closed. */
int vr_fd_lists(void);
int vr_fd_list_is(const char *path);
void vr_fd_list_opened(const char *path, int fd);
void vr_fd_list_closed(int fd);

/* Entries of such a list in the form of getdents64: n bytes at data, less those that are out of reach; how many bytes are left. */
long vr_fd_list_filter(int fd, void *data, long n);

/* A path in such a list (/proc/self/fd/4) that is not there for the rank. */
int vr_fd_path_denied(const char *path);

#endif
