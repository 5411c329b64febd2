/* One reduction call: what reduce.c, reduce_calls.c and reduce_scan.c share. */
#ifndef AMPI_REDUCE_CALL_H
#define AMPI_REDUCE_CALL_H

#include "ampi/coll/coll.h"
#include "ampi/coll/coll_traffic.h"
#include "ampi/coll/reduce.h"

/* What a reduction call is given. */
struct ampi_reduce_args {
	const void *send;
	void *recv;
	int64_t count; /* reduce-scatter: of every member's part, unless counts is set */
	const void *counts;
	int wide; /* counts are MPI_Count, else int */
	MPI_Datatype datatype;
	MPI_Op op;
	int root;
};
#define AMPI_REDUCTION(s, r, n, t, o, where)                                                                                        \
	(struct ampi_reduce_args){.send = (s), .recv = (r), .count = (n), .datatype = (t), .op = (o), .root = (where)}
#define AMPI_REDUCTION_PARTS(s, r, n, t, o)                                                                                         \
	(struct ampi_reduce_args){.send = (s), .recv = (r), .counts = (n), .wide = sizeof *(n) == sizeof(MPI_Count), .datatype = (t), \
				  .op = (o), .root = -1}

/* What it works with, checked. The same names in what has one. */
#define AMPI_OPERANDS                                                                                                               \
	struct ampi_reducer op;                                                                                                       \
	const char *send; /* MPI_IN_PLACE is resolved */                                                                              \
	char *recv; /* of members that get a result */                                                                                \
	int64_t count /* elements that every member contributes */
struct ampi_operands {
	AMPI_OPERANDS;
};

struct ampi_reduction {
	struct ampi_shm_coll m;
	union {
		struct ampi_operands operands;
		struct {
			AMPI_OPERANDS;
		};
	};
	int64_t bytes; /* of memory they take */
	int32_t root; /* -1: there is none */
	int32_t all_receive; /* every member receives the whole result */
	/* while it is carried out */
	char *staging;
	int64_t stride;
};

/* ---- arguments: reduce_check.c. Each returns 0, or the class that it raised ---- */

/* A contribution called `name` without a result: buffer, count, type, operation. */
int ampi_check_operand(struct ampi_caller *c, struct ampi_operands *o, const char *name, const void *send, const struct ampi_reduce_args *a);

/* A reduction to a root, in any of its roles. */
int ampi_check_reduce(struct ampi_caller *c, struct ampi_operands *o, const struct ampi_reduce_args *a);

/* One in which every member contributes and receives; with MPI_IN_PLACE the receive buffer holds the contribution. */
int ampi_check_allreduce(struct ampi_caller *c, struct ampi_operands *o, const struct ampi_reduce_args *a);

/* The same where every member receives a part: the elements before this member's and its own. */
int ampi_check_reduce_scatter(struct ampi_caller *c, struct ampi_operands *o, const struct ampi_reduce_args *a, int64_t *before, int64_t *mine);

/* How many elements of the result member i receives. */
int64_t ampi_reduce_part(const struct ampi_reduce_args *a, int i);

/* ---- vectors of elements: a pointer is where the program would say that the buffer starts ---- */

struct ampi_span {
	int64_t first, bytes; /* of the memory that count elements touch, relative to the pointer */
};

static inline struct ampi_span ampi_span_of(const struct vr_type *t, int64_t count)
{
	int64_t last = (count - 1) * t->extent;
	if (count <= 0)
		return (struct ampi_span){0, 0};
	if (last < 0)
		return (struct ampi_span){t->true_lb + last, t->true_extent - last};
	return (struct ampi_span){t->true_lb, t->true_extent + last};
}

/* Can elements be copied with what lies between them? */
static inline int ampi_type_is_plain(const struct vr_type *t)
{
	return t->extent >= t->true_extent && t->true_lb >= 0 && t->true_lb + t->true_extent <= t->extent;
}

/* May a vector be cut? Not when a function of the program combines it: it may want to see all of it in one call. */
static inline int ampi_reducer_cuts(const struct ampi_reducer *r)
{
	return r->kernel && ampi_type_is_plain(r->type);
}

/* Work out how much memory a vector takes; 1 when all members' vectors fit on the staging. */
int ampi_reduction_measure(struct ampi_reduction *r);

/* A copy of this member's vector in its slice, which lives to the end of the call (slot `which` of m.copy); NULL when there is
 * no memory: the call then fails for all. */
char *ampi_reduction_copy(struct ampi_reduction *r, int which);

/* Begin the first round of a checked call; root is -1 when there is none. The program's own operations have another handle in every rank, so
 * only of predefined ones it is known whether all have the same. */
static inline void ampi_reduction_begin(struct ampi_reduction *r, enum ampi_coll kind, MPI_Op op, int root)
{
	int64_t bytes = r->count * r->op.type->size;
	r->root = root;
	ampi_shm_coll_begin(&r->m, r->op.kernel ? kind | (int)(uint64_t)op << AMPI_KEY_OP : kind, root, bytes);
	ampi_traffic(&r->m, kind == AMPI_COLL_EXSCAN ? AMPI_COLL_SCAN : kind, root, bytes);
}

/* Between ampi_reduction_begin and ampi_shm_coll_end: combine all members' vectors. Switches. */
void ampi_reduction_run(struct ampi_reduction *r);

/* After that: the result, NULL when the call failed. */
const char *ampi_reduction_result(struct ampi_reduction *r);

/* Copy elements [from, from + count) of the result to the receive buffer. */
void ampi_reduction_take(struct ampi_reduction *r, int64_t from, int64_t count);

#endif
