/* Files that lie over memory of a slice, see file_mapping.c. */
#ifndef VRANK_FILE_MAPPING_H
#define VRANK_FILE_MAPPING_H

#include <sys/types.h>

#include "isomalloc/heap.h"
#include "vrank/core/rank.h"

/* Where the region is; PE stack, before ranks run. */
void vr_file_mapping_setup(int region_fd, uint64_t base);

/* Rank stack: a file was mapped over memory of the current rank's heap; memory of the heap is to be free of files again; a part has
 * another protection from now on. 0, or -1 without memory. */
int vr_file_mapping_add(void *at, size_t n, int prot, int flags, int fd, off_t offset);
int vr_file_mapping_remove(void *at, size_t n);
void vr_file_mapping_protect(void *at, size_t n, int prot);

/* Rank stack: a mapped file gets longer, and another address, which is returned; NULL when that cannot be. */
void *vr_file_mapping_grow(void *at, size_t n, size_t size);

/* Does a file lie over a part of this memory, of the current rank or of r? */
int vr_file_mapping_meets(const void *at, size_t n);
int vr_file_mapping_of(const struct vr_rank *r, const void *at, size_t n);

/* Rank stack: memory of the slice that no file lies over reads as zeroes and costs nothing. The kernel keeps what is shared when a program
 * advises so, and does not drop what it may not write; the program cannot know either. 0, or -1 with errno. */
int vr_file_mapping_drop(uint64_t lo, uint64_t n);

/* The first part of [lo, hi) that a file of rank r lies over. Its protection, or -1. */
int vr_file_mapping_first(const struct vr_rank *r, uint64_t lo, uint64_t hi, struct iso_range *part);

/* PE stack: what rank r has written to private maps becomes memory of its slice. NULL, or why that cannot be, now or ever. */
const char *vr_file_mapping_commit(struct vr_rank *r);

/* PE stack: a rank whose private pages are committed goes, or has come with its descriptors. 0, or -1. */
void vr_file_mapping_leave(struct vr_rank *r);
int vr_file_mapping_enter(struct vr_rank *r);

/* Rank r has a file mapped by this descriptor of its own. */
int vr_file_mapping_uses(const struct vr_rank *r, int fd);

#endif
