/* Datatypes lent to pending operations that hand them to functions of the program. MPI 5.0 section 5.1.9 lets the program free a type while
 * an operation uses it; the function still gets a handle that can be asked. So such a type keeps its handle until the last of these
 * operations is done. Freeing the handle needs Go, and operations end on any stack: what is done waits for the rank's next call here. */
#include "ampi/type_lend.h"

static struct vr_type *lendable(const struct vr_type *t)
{
	return t->flags & VR_TYPE_PREDEFINED ? NULL : (struct vr_type *)t;
}

void ampi_type_lend(const struct vr_type *type)
{
	struct vr_type *t = lendable(type);
	ampi_types_sweep();
	if (t)
		t->lent++;
}

void ampi_type_return(struct vr_rank *r, const struct vr_type *type)
{
	struct ampi_rank *me = r->mpi;
	struct vr_type *t = lendable(type);
	if (!t || --t->lent || !(t->flags & VR_TYPE_FREED))
		return;
	t->attrs = me->done_types;
	me->done_types = t;
}

int ampi_type_keep(MPI_Datatype *type)
{
	const struct vr_type *t = ampi_type(*type);
	if (!t || !t->lent)
		return 0;
	((struct vr_type *)t)->flags |= VR_TYPE_FREED;
	*type = MPI_DATATYPE_NULL;
	return 1;
}

void ampi_types_sweep(void)
{
	struct ampi_rank *me = ampi_me();
	while (vr_unlikely(me->done_types != NULL)) {
		struct vr_type *t = me->done_types;
		MPI_Datatype handle = (MPI_Datatype)(uint64_t)t->handle;
		me->done_types = t->attrs;
		t->attrs = NULL;
		ampi_serve_class(AMPI_FN_MPI_Type_free, (uint64_t[]){(uint64_t)&handle}, 1);
	}
}
