/* Attribute calls of datatypes. Go makes and frees datatypes; their attributes, with the program's functions, are seen to
 * here, on the rank's stack. */
#include "ampi/comm/attr.h"
#include "ampi/type_lend.h"

/* Predefined datatypes are one object for all ranks of a worker, so what a rank has set on them is kept apart. */
struct ampi_type_attrs {
	struct ampi_type_attrs *next;
	uint64_t type; /* handle */
	struct ampi_attr *list;
};

static struct ampi_attr **predefined_attrs(uint64_t type, int make)
{
	struct ampi_type_attrs **at = &ampi_me()->type_attrs;
	while (*at && (*at)->type != type)
		at = &(*at)->next;
	if (!*at && make) {
		*at = vr_rank_calloc(vr_current, 1, sizeof **at);
		if (*at)
			(*at)->type = type;
	}
	return *at ? &(*at)->list : NULL;
}

static struct ampi_attr **attrs_of(const struct vr_type *t, MPI_Datatype type, int make)
{
	return t->flags & VR_TYPE_PREDEFINED ? predefined_attrs((uint64_t)type, make) : (struct ampi_attr **)&((struct vr_type *)t)->attrs;
}

/* A holder without a list has no attributes. */
static int holder(struct ampi_holder *h, int fn, MPI_Datatype type, int make)
{
	const struct vr_type *t = ampi_running() ? ampi_type(type) : NULL;
	if (!ampi_running())
		return ampi_bad_comm(MPI_COMM_SELF, fn);
	if (!t)
		return ampi_bad_type(NULL, type, fn);
	*h = (struct ampi_holder){AMPI_TYPE, (uint64_t)type, attrs_of(t, type, make), ampi_culprit_none(AMPI_COMM), fn};
	return make && !h->list ? ampi_no_memory(NULL, fn) : MPI_SUCCESS;
}

int ampi_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *delete, int *keyval, void *extra)
{
	return ampi_keyval_create(AMPI_FN_MPI_Type_create_keyval, AMPI_TYPE, copy, delete, extra, keyval);
}

int ampi_Type_free_keyval(int *keyval)
{
	return ampi_keyval_free(AMPI_FN_MPI_Type_free_keyval, AMPI_TYPE, keyval);
}

int ampi_Type_set_attr(MPI_Datatype type, int keyval, void *value)
{
	struct ampi_holder h;
	int error = holder(&h, AMPI_FN_MPI_Type_set_attr, type, 1);
	return error ? error : ampi_attr_set(&h, keyval, value);
}

static struct ampi_attr *no_attrs;

int ampi_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag)
{
	struct ampi_holder h;
	int error = holder(&h, AMPI_FN_MPI_Type_get_attr, type, 0);
	if (!error && !h.list)
		h.list = &no_attrs;
	return error ? error : ampi_attr_get(&h, keyval, value, flag);
}

int ampi_Type_delete_attr(MPI_Datatype type, int keyval)
{
	struct ampi_holder h;
	int error = holder(&h, AMPI_FN_MPI_Type_delete_attr, type, 0);
	if (!error && !h.list)
		h.list = &no_attrs;
	return error ? error : ampi_attr_delete(&h, keyval);
}

static int copy_attrs(const struct ampi_attr *from, MPI_Datatype old, MPI_Datatype *new)
{
	const int fn = AMPI_FN_MPI_Type_dup;
	struct vr_type *t = (struct vr_type *)ampi_type(*new);
	int error = ampi_attr_copy_all(from, (uint64_t)old, (struct ampi_attr **)&t->attrs);
	if (!error)
		return MPI_SUCCESS;
	ampi_Type_free(new);
	return ampi_raise(NULL, error, fn, "a copy function of an attribute returned error %d", error);
}

int ampi_Type_dup(MPI_Datatype old, MPI_Datatype *new)
{
	int error = (int)ampi_serve(AMPI_FN_MPI_Type_dup, (uint64_t[]){(uint64_t)old, (uint64_t)new}, 2);
	if (error)
		return error;
	struct ampi_attr **from = attrs_of(ampi_type(old), old, 0);
	return from && *from ? copy_attrs(*from, old, new) : MPI_SUCCESS;
}

int ampi_Type_free(MPI_Datatype *type)
{
	const int fn = AMPI_FN_MPI_Type_free;
	const struct vr_type *t = ampi_running() ? ampi_type(*type) : NULL;
	if (t && (t->flags & VR_TYPE_FREED))
		return ampi_bad_type(NULL, *type, fn);
	if (t && t->attrs && !(t->flags & VR_TYPE_PREDEFINED)) {
		int error = ampi_attr_delete_all((struct ampi_attr **)&((struct vr_type *)t)->attrs, t->handle);
		if (error)
			return ampi_raise(NULL, error, fn, "a delete function of an attribute returned error %d", error);
	}
	if (t && ampi_type_keep(type))
		return MPI_SUCCESS;
	return (int)ampi_serve(fn, (uint64_t[]){(uint64_t)type}, 1);
}
