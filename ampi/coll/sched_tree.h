/* Parts of collective operations along binomial trees, see sched_tree.c. They append steps to a schedule; what the members append to
 * theirs fits together. All are inside the local group. */
#ifndef AMPI_SCHED_TREE_H
#define AMPI_SCHED_TREE_H

#include "ampi/coll/reduce_call.h"
#include "ampi/coll/sched.h"

/* Member 0 goes on when all have come; all go on when member 0 has come. */
void ampi_tree_gather_all(struct ampi_sched *p);
void ampi_tree_release_all(struct ampi_sched *p);

/* Count elements from the root to all. */
void ampi_tree_bcast(struct ampi_sched *p, int root, void *buf, int64_t count, const struct vr_type *type);

/* A block from every member to the root, and the other way. In place, the root's own is where it belongs. */
void ampi_tree_gather(struct ampi_sched *p, const struct ampi_exchange *x);
void ampi_tree_scatter(struct ampi_sched *p, const struct ampi_exchange *x);

/* All vectors combined with p->op in the order of ranks, in member 0: where the result is, else NULL. `target` may be used for it. */
const char *ampi_tree_reduce(struct ampi_sched *p, const struct ampi_operands *o, char *target);

/* Elements of p->op's type in memory of the schedule; a pointer as the program would say where they are. */
char *ampi_sched_vector(struct ampi_sched *p, int64_t count);

#endif
