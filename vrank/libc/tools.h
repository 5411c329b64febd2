/* MPI functions that preloaded libraries have in place of ours, tools.c. */
#ifndef VRANK_TOOLS_H
#define VRANK_TOOLS_H

#include "vrank/core/rank.h"

/* A function of the shim's table that a preloaded library has, as an offset of the image area. */
struct vr_tool {
	int32_t fn;
	uint64_t offset;
};

/* PE stack, once; the list is kept. */
void vr_tools_set(const struct vr_tool *list, int n);

/* Rank stack: the table for the shim of rank r, with tools' functions in it. */
const void *vr_tools_table(struct vr_rank *r, const void *base);

#endif
