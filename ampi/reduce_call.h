/* One reduction call: what reduce.c, reduce_calls.c and reduce_scan.c share. */
#ifndef AMPI_REDUCE_CALL_H
#define AMPI_REDUCE_CALL_H

#include "coll.h"
#include "reduce.h"

struct ampi_reduction {
	struct ampi_meet m;
	struct ampi_reducer op;
	const char *send;
	char *recv; /* of members that get a result */
	int64_t count; /* elements that every member contributes */
	int64_t bytes; /* of memory they take */
	int32_t root; /* -1: there is none */
	int32_t all_receive; /* every member receives the whole result */
	/* while it is carried out */
	char *board;
	int64_t stride;
	int32_t home; /* the part in whose memory the result is built */
};

/* Check what all reductions have in common: buffers, count, type, operation. 0, or the class that was raised. */
int ampi_reduction_check(struct ampi_reduction *r, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op);

/* The same for members that receive a result; with MPI_IN_PLACE the receive buffer holds the contribution. */
int ampi_reduction_check_both(struct ampi_reduction *r, const void *send, void *recv, int64_t count, MPI_Datatype datatype, MPI_Op op);

/* Can elements be copied with what lies between them? Then vectors may be cut into pieces, too. */
static inline int ampi_type_is_plain(const struct vr_type *t)
{
	return t->extent >= t->true_extent && t->true_lb >= 0 && t->true_lb + t->true_extent <= t->extent;
}

/* Work out how much memory a vector takes; 1 when all members' vectors fit on the board. */
int ampi_reduction_measure(struct ampi_reduction *r);

/* A copy of this member's vector in its slice, which lives to the end of the call (slot `which` of m.copy); NULL when there is
 * no memory: the call then fails for all. */
char *ampi_reduction_copy(struct ampi_reduction *r, int which);

/* Between ampi_meet_begin and ampi_meet_end: combine all members' vectors. Switches. */
void ampi_reduction_run(struct ampi_reduction *r);

/* After that: the result, NULL when the call failed. */
const char *ampi_reduction_result(struct ampi_reduction *r);

/* Copy elements [from, from + count) of the result to the receive buffer. */
void ampi_reduction_take(struct ampi_reduction *r, int64_t from, int64_t count);

#endif
