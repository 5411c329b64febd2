/* Reduction operations: what reduce*.c and op.c share. The kernels need no rank and no MPI call. */
#ifndef AMPI_REDUCE_H
#define AMPI_REDUCE_H

#include <stdint.h>

/* inout[i] = in[i] op inout[i] for n elements; in and inout do not overlap. */
typedef void ampi_kernel(const void *in, void *inout, int64_t n);

/* The predefined operations in the order of the standard's table (MPI 5.0 section 6.9.2). */
enum ampi_op_index {
	AMPI_OP_SUM, AMPI_OP_MIN, AMPI_OP_MAX, AMPI_OP_PROD, AMPI_OP_BAND, AMPI_OP_BOR, AMPI_OP_BXOR, AMPI_OP_LAND, AMPI_OP_LOR,
	AMPI_OP_LXOR, AMPI_OP_MINLOC, AMPI_OP_MAXLOC, AMPI_OP_COUNT
};

/* The kernel of an operation (handle of the standard ABI) on elements of a kind (enum vr_kind); NULL when the standard does not
 * define the operation for such elements, or there is no such predefined operation. */
ampi_kernel *ampi_kernel_find(uint64_t op, uint32_t kind);

/* Names for messages: "MPI_SUM", "MPI_DOUBLE"; NULL when the handle is not a predefined one. */
const char *ampi_op_name(uint64_t op);
const char *ampi_type_name(uint64_t type);

#ifdef AMPI_AMPI_H

/* An operation as one call uses it. */
struct ampi_reducer {
	ampi_kernel *kernel; /* of a predefined operation */
	const struct ampi_op *user; /* else */
	MPI_Datatype handle; /* what user functions get as their datatype */
	const struct vr_type *type;
};

/* Fill r for an operation on a checked type. 0, or the class that was raised. */
int ampi_reducer_open(struct ampi_reducer *r, struct ampi_comm *c, int fn, MPI_Op op, MPI_Datatype handle, const struct vr_type *type);

/* One user of an operation of the program fewer (the handle, a pending sched): the last one frees it. Rank stack. */
void ampi_op_release(struct ampi_op *o);

/* inout[i] = in[i] op inout[i]. Rank stack: may call into the program, with this rank's copy of the function. */
void ampi_reducer_apply(const struct ampi_reducer *r, const void *in, void *inout, int64_t count);

#endif
#endif
