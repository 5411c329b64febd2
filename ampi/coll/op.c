/* Reduction operations as objects (MPI 5.0 section 6.9.5), and how a call applies one. */
#include "ampi/ampi.h"
#include "ampi/coll/reduce.h"

#include <limits.h>

static struct ampi_op *user_op(MPI_Op op)
{
	return ampi_lookup(&ampi_me()->ops, AMPI_OP, (uint64_t)op);
}

/* ---- applying ---- */

/* A derived type that is one predefined element in other clothes (MPI_Type_dup, the Fortran 90 types) reduces like it. */
static int is_one_element(const struct vr_type *t)
{
	return (t->flags & VR_TYPE_PREDEFINED) || (t->size == t->kind_size && t->extent == t->size && t->true_lb == 0);
}

static int not_defined(struct ampi_comm *c, int fn, MPI_Op op, MPI_Datatype handle)
{
	const char *op_name = ampi_op_name((uint64_t)op), *type_name = ampi_type_name((uint64_t)handle);
	return ampi_raise(c, MPI_ERR_OP, fn, "op %s is not defined for datatype %s", op_name, type_name ? type_name : "that the program made");
}

static int no_op(struct ampi_comm *c, int fn, MPI_Op op)
{
	if (op == MPI_OP_NULL)
		return ampi_raise(c, MPI_ERR_OP, fn, "op is MPI_OP_NULL");
	if (op == MPI_REPLACE || op == MPI_NO_OP)
		return ampi_raise(c, MPI_ERR_OP, fn, "op is %s, which is for one-sided calls only", ampi_op_name((uint64_t)op));
	return ampi_raise(c, MPI_ERR_OP, fn, "op (handle 0x%lx) is not an operation, or was freed", (unsigned long)op);
}

int ampi_reducer_open(struct ampi_reducer *r, struct ampi_comm *c, int fn, MPI_Op op, MPI_Datatype handle, const struct vr_type *type)
{
	*r = (struct ampi_reducer){.handle = handle, .type = type};
	if (AMPI_IS(AMPI_OP, op) && (r->user = user_op(op)))
		return MPI_SUCCESS;
	if (!ampi_kernel_find((uint64_t)op, VR_KIND_I32) && op != MPI_MINLOC && op != MPI_MAXLOC)
		return no_op(c, fn, op);
	if (is_one_element(type))
		r->kernel = ampi_kernel_find((uint64_t)op, type->kind);
	return r->kernel ? MPI_SUCCESS : not_defined(c, fn, op, handle);
}

/* Functions with an int length get long vectors in pieces. */
static void apply_narrow(const struct ampi_reducer *r, char *in, char *inout, int64_t count)
{
	MPI_User_function *fn = (MPI_User_function *)r->user->fn;
	MPI_Datatype handle = r->handle;
	while (count > 0) {
		int n = count < INT_MAX ? count : INT_MAX;
		fn(in, inout, &n, &handle);
		in += n * r->type->extent;
		inout += n * r->type->extent;
		count -= n;
	}
}

void ampi_reducer_apply(const struct ampi_reducer *r, const void *in, void *inout, int64_t count)
{
	if (vr_likely(r->kernel != NULL)) {
		r->kernel(in, inout, count);
	} else if (r->user->wide) {
		MPI_Datatype handle = r->handle;
		MPI_Count n = count;
		((MPI_User_function_c *)r->user->fn)((void *)in, inout, &n, &handle);
	} else {
		apply_narrow(r, (void *)in, inout, count);
	}
}

/* ---- making and freeing ---- */

static int create(int fn, void *function, int commute, int wide, MPI_Op *out)
{
	int error = ampi_check_running(fn);
	if (error)
		return error;
	if (!function)
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "user_fn is a null pointer");
	struct ampi_op *op = vr_rank_calloc(vr_current, 1, sizeof *op);
	uint64_t handle = op ? ampi_enter(vr_current, &ampi_me()->ops, AMPI_OP, op) : 0;
	if (!handle) {
		vr_rank_free(vr_current, op);
		return ampi_no_memory(NULL, fn);
	}
	*op = (struct ampi_op){.handle = handle, .refs = 1, .commutes = commute != 0, .wide = wide, .fn = function};
	*out = (MPI_Op)handle;
	return MPI_SUCCESS;
}

int ampi_Op_create(MPI_User_function *user_fn, int commute, MPI_Op *op)
{
	return create(AMPI_FN_MPI_Op_create, user_fn, commute, 0, op);
}

int ampi_Op_create_c(MPI_User_function_c *user_fn, int commute, MPI_Op *op)
{
	return create(AMPI_FN_MPI_Op_create_c, user_fn, commute, 1, op);
}

void ampi_op_release(struct ampi_op *o)
{
	if (--o->refs == 0)
		vr_rank_free(vr_current, o);
}

int ampi_Op_free(MPI_Op *op)
{
	int error = ampi_check_running(AMPI_FN_MPI_Op_free);
	struct ampi_op *o = user_op(*op);
	if (error)
		return error;
	if (!o && ampi_op_name((uint64_t)*op))
		return ampi_raise(NULL, MPI_ERR_OP, AMPI_FN_MPI_Op_free, "op is %s, which is predefined", ampi_op_name((uint64_t)*op));
	if (!o)
		return no_op(NULL, AMPI_FN_MPI_Op_free, *op);
	ampi_remove(&ampi_me()->ops, (uint64_t)*op);
	ampi_op_release(o);
	*op = MPI_OP_NULL;
	return MPI_SUCCESS;
}

int ampi_Op_commutative(MPI_Op op, int *commute)
{
	int error = ampi_check_running(AMPI_FN_MPI_Op_commutative);
	struct ampi_op *o = user_op(op);
	if (error)
		return error;
	if (!o && !ampi_op_name((uint64_t)op))
		return no_op(NULL, AMPI_FN_MPI_Op_commutative, op);
	/* The last of several MPI_REPLACE wins, so their order matters. */
	*commute = o ? o->commutes : op != MPI_REPLACE;
	return MPI_SUCCESS;
}
