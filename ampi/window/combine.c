/* Elements of a target that are combined with others: which operation, and how. */
#include "ampi/window/accumulate.h"

#define PIECE 4096 /* elements at a time: others that want the target's lock need not wait for a long vector */

/* MPI_REPLACE, for elements of any kind. */
static void replace(const void *in, void *inout, int64_t bytes)
{
	memcpy(inout, in, bytes);
}

static int replaces(const struct ampi_combine *c)
{
	return c->kernel == replace;
}

/* The first predefined type of a kind: all have the same elements. */
static const struct vr_type *predefined_of(uint32_t kind)
{
	for (int i = 0; i < VR_TYPE_PREDEFINED_COUNT; i++)
		if (vr_predefined[i].handle && vr_predefined[i].kind == kind)
			return &vr_predefined[i];
	return vr_type_predefined((uint64_t)MPI_BYTE);
}

static int bad_op(const struct ampi_rma *o, MPI_Op op, const char *why)
{
	const char *name = ampi_op_name((uint64_t)op);
	if (name)
		return ampi_win_raise(o->win, MPI_ERR_OP, o->fn, "op is %s%s", name, why);
	return ampi_win_raise(o->win, MPI_ERR_OP, o->fn, "op (handle 0x%lx) is not a predefined operation", (unsigned long)op);
}

static int is_mixed(const struct vr_type *t)
{
	return t->kind == VR_KIND_NONE;
}

int ampi_combine_open(struct ampi_combine *c, const struct ampi_rma *o, MPI_Op op, int fetches)
{
	const struct vr_type *t = o->there.type;
	c->element = t->flags & VR_TYPE_PREDEFINED ? t : predefined_of(t->kind);
	c->n = o->there.count * t->size / c->element->size;
	c->kernel = NULL;
	if (op == MPI_NO_OP)
		return fetches ? MPI_SUCCESS : bad_op(o, op, ", for calls that fetch only");
	if (op == MPI_REPLACE)
		c->kernel = replace;
	else if (is_mixed(t) && ampi_op_name((uint64_t)op))
		return ampi_win_raise(o->win, MPI_ERR_TYPE, o->fn, "target_datatype is made of different predefined types");
	else
		c->kernel = ampi_kernel_find((uint64_t)op, t->kind);
	return vr_likely(c->kernel != NULL) ? MPI_SUCCESS : bad_op(o, op, ", which is not defined for such elements");
}

static void apply(const struct ampi_combine *c, const char *in, void *inout, int64_t n)
{
	if (vr_unlikely(replaces(c)))
		c->kernel(in, inout, n * c->element->extent);
	else if (vr_likely(c->kernel != NULL))
		c->kernel(in, inout, n);
}

/* The target's elements lie one after the other. */
static void run_in_place(const struct ampi_combine *c, struct ampi_win_member *target, char *there)
{
	int64_t extent = c->element->extent;
	for (int64_t from = 0, n; from < c->n; from += n) {
		n = c->n - from < PIECE ? c->n - from : PIECE;
		ampi_spin_lock(&target->busy);
		if (c->result)
			memcpy((char *)c->result + from * extent, there + from * extent, n * extent);
		apply(c, (const char *)c->in + from * extent, there + from * extent, n);
		ampi_spin_unlock(&target->busy);
	}
}

/* They are copied out, combined, and copied back. */
static int run_in_copy(const struct ampi_combine *c, struct ampi_win_member *target, struct vr_data there, struct vr_rank *here)
{
	int64_t bytes = c->n * c->element->size;
	char *room = vr_rank_alloc(here, c->n * c->element->extent);
	const struct vr_data copy = {room, c->n, c->element};
	if (!room)
		return -1;
	ampi_spin_lock(&target->busy);
	vr_type_copy(copy, there, bytes);
	if (c->result)
		memcpy(c->result, room, c->n * c->element->extent);
	apply(c, c->in, room, c->n);
	if (c->kernel)
		vr_type_copy(there, copy, bytes);
	ampi_spin_unlock(&target->busy);
	vr_rank_free(here, room);
	return 0;
}

static int is_array_of(const struct vr_type *t, const struct vr_type *element)
{
	return t == element || ((t->flags & VR_TYPE_CONTIGUOUS) && element->extent == element->size);
}

int ampi_combine_run(const struct ampi_combine *c, struct ampi_win_member *target, struct vr_data there, struct vr_rank *here)
{
	char *first = (char *)there.buf + (there.type == c->element ? 0 : there.type->true_lb);
	if (vr_unlikely(!is_array_of(there.type, c->element) || !ampi_is_aligned(first, c->element)))
		return run_in_copy(c, target, there, here);
	run_in_place(c, target, first);
	return 0;
}
