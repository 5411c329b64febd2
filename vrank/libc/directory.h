/* The current directory of ranks: cwd.c. */
#ifndef VRANK_DIRECTORY_H
#define VRANK_DIRECTORY_H

#include "vrank/core/hooks.h"

/* Any stack of the owner: the process goes to the rank's directory. */
void vr_directory_enter(const struct vr_rank *r);

/* PE stack: a rank goes, or has come, with its current directory. 0, or -1. */
void vr_directory_leave(const struct vr_rank *r);
int vr_directory_adopt(const struct vr_rank *r);

#endif
