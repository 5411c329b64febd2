/* Mappings that a rank's C library makes for itself, redirect.c. */
#ifndef VRANK_REDIRECT_H
#define VRANK_REDIRECT_H

#include "vrank/core/rank.h"

/* Rank stack: what the rank's C library maps from now on can be mapped by other workers, too. The owner, for a rank that has come: the
 * same here. 0, or an errno. */
int vr_redirect(void);
int vr_redirect_enter(struct vr_rank *r);

#endif
