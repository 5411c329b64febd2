/* Fetch-and-op and compare-and-swap of one element (MPI 5.0 section 12.3.4). */
#include "ampi/window/accumulate.h"

static int bad_element(const struct ampi_rma *o)
{
	return ampi_win_raise(o->win, MPI_ERR_TYPE, o->fn, "datatype is derived: such calls take one predefined element");
}

static int bad_pointer(const struct ampi_rma *o, const char *name)
{
	return ampi_win_raise(o->win, MPI_ERR_BUFFER, o->fn, "%s is a null pointer", name);
}

static int element_open(struct ampi_rma *o, int fn, MPI_Win win, int target, MPI_Aint disp, MPI_Datatype type)
{
	int error = ampi_rma_open(o, fn, win, target, disp, 1, type);
	if (vr_likely(!error) && vr_unlikely(!(o->there.type->flags & VR_TYPE_PREDEFINED)))
		return bad_element(o);
	return error;
}

/* Some buffers of programs are not aligned as their type wants it: what the kernel reads is. */
struct one {
	alignas(32) char byte[32];
};
_Static_assert(sizeof(struct one) >= 2 * sizeof(_Float128), "an element of any predefined type fits");

int ampi_Fetch_and_op(const void *origin, void *result, MPI_Datatype type, int target, MPI_Aint disp, MPI_Op op, MPI_Win win)
{
	struct ampi_rma o;
	struct ampi_combine c = {0};
	struct one in, old;
	int error = element_open(&o, AMPI_FN_MPI_Fetch_and_op, win, target, disp, type);
	if (vr_unlikely(error))
		return error == AMPI_RMA_NOTHING ? MPI_SUCCESS : error;
	if ((error = ampi_combine_open(&c, &o, op, 1)))
		return error;
	if (vr_unlikely(!result || (!origin && op != MPI_NO_OP)))
		return bad_pointer(&o, result ? "origin_addr" : "result_addr");
	if (op != MPI_NO_OP)
		memcpy(&in, origin, c.element->extent);
	c.in = &in;
	c.result = &old;
	if (!(error = ampi_combine_there(&o, &c)))
		memcpy(result, &old, c.element->extent);
	return error;
}

static int is_comparable(uint32_t kind)
{
	return (kind >= VR_KIND_I8 && kind <= VR_KIND_I128) || (kind >= VR_KIND_BOOL8 && kind <= VR_KIND_BYTE);
}

void ampi_swap_run(const struct ampi_swap *s, struct ampi_win_member *target, void *there)
{
	struct one old;
	ampi_spin_lock(&target->busy);
	memcpy(&old, there, s->bytes);
	if (!memcmp(&old, s->compare, s->bytes))
		memcpy(there, s->origin, s->bytes);
	ampi_spin_unlock(&target->busy);
	memcpy(s->result, &old, s->bytes);
}

int ampi_Compare_and_swap(const void *origin, const void *compare, void *result, MPI_Datatype type, int target, MPI_Aint disp, MPI_Win win)
{
	struct ampi_rma o;
	int error = element_open(&o, AMPI_FN_MPI_Compare_and_swap, win, target, disp, type);
	if (vr_unlikely(error))
		return error == AMPI_RMA_NOTHING ? MPI_SUCCESS : error;
	if (vr_unlikely(!origin || !compare || !result))
		return bad_pointer(&o, !origin ? "origin_addr" : !compare ? "compare_addr" : "result_addr");
	if (vr_unlikely(!is_comparable(o.there.type->kind)))
		return ampi_win_raise(o.win, MPI_ERR_TYPE, o.fn, "datatype is not an integer, a logical, a character, or MPI_BYTE");
	struct ampi_swap s = {origin, compare, result, o.there.type->size};
	if (vr_likely(ampi_rma_is_here(&o)))
		ampi_swap_run(&s, o.target, ampi_rma_there(&o).buf);
	else
		ampi_swap_remote(&o, &s);
	return MPI_SUCCESS;
}
