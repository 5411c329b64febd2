/* Attribute calls of communicators and datatypes, and the predefined attributes of MPI_COMM_WORLD (MPI 5.0 section 9.1.2). */
#include "ampi.h"
#include "attr.h"

#include <limits.h>

/* ---- communicators ---- */

static struct ampi_attr **comm_attrs(struct ampi_comm *c)
{
	return &c->attrs;
}

/* The value of a predefined attribute, or NULL. C programs get its address. */
static const int *predefined(int keyval)
{
	static const int tag_ub = INT_MAX, no_host = MPI_PROC_NULL, any_io = MPI_ANY_SOURCE, yes = 1;
	switch (keyval) {
	case MPI_TAG_UB:
		return &tag_ub;
	case MPI_HOST:
		return &no_host;
	case MPI_IO:
		return &any_io;
	case MPI_WTIME_IS_GLOBAL:
		return &yes;
	case MPI_UNIVERSE_SIZE:
		return &vr_job->ranks;
	case MPI_LASTUSEDCODE:
		return &ampi_me()->last_error_code;
	}
	return NULL;
}

static int is_predefined(int keyval)
{
	return predefined(keyval) || keyval == MPI_APPNUM;
}

static int get(int fn, MPI_Comm comm, int keyval, void *value, int *flag)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	if (!is_predefined(keyval))
		return ampi_attr_get(c, fn, comm_attrs(c), keyval, value, flag);
	const int *p = predefined(keyval);
	*flag = p != NULL; /* MPI_APPNUM is not set: the job was not started as one of many programs */
	if (p)
		*(const int **)value = p;
	return MPI_SUCCESS;
}

static int set(int fn, MPI_Comm comm, int keyval, void *value)
{
	struct ampi_comm *c = ampi_comm(comm);
	return c ? ampi_attr_set(c, fn, comm_attrs(c), c->handle, keyval, value) : ampi_bad_comm(comm, fn);
}

static int delete(int fn, MPI_Comm comm, int keyval)
{
	struct ampi_comm *c = ampi_comm(comm);
	return c ? ampi_attr_delete(c, fn, comm_attrs(c), c->handle, keyval) : ampi_bad_comm(comm, fn);
}

int ampi_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *keyval, void *extra)
{
	return ampi_keyval_create(AMPI_FN_MPI_Comm_create_keyval, copy, delete, extra, keyval);
}

int ampi_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *delete, int *keyval, void *extra)
{
	return ampi_keyval_create(AMPI_FN_MPI_Keyval_create, copy, delete, extra, keyval);
}

int ampi_Comm_free_keyval(int *keyval)
{
	return ampi_keyval_free(AMPI_FN_MPI_Comm_free_keyval, keyval);
}

int ampi_Keyval_free(int *keyval)
{
	return ampi_keyval_free(AMPI_FN_MPI_Keyval_free, keyval);
}

int ampi_Comm_set_attr(MPI_Comm comm, int keyval, void *value)
{
	return set(AMPI_FN_MPI_Comm_set_attr, comm, keyval, value);
}

int ampi_Attr_put(MPI_Comm comm, int keyval, void *value)
{
	return set(AMPI_FN_MPI_Attr_put, comm, keyval, value);
}

int ampi_Comm_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
	return get(AMPI_FN_MPI_Comm_get_attr, comm, keyval, value, flag);
}

int ampi_Attr_get(MPI_Comm comm, int keyval, void *value, int *flag)
{
	return get(AMPI_FN_MPI_Attr_get, comm, keyval, value, flag);
}

int ampi_Comm_delete_attr(MPI_Comm comm, int keyval)
{
	return delete(AMPI_FN_MPI_Comm_delete_attr, comm, keyval);
}

int ampi_Attr_delete(MPI_Comm comm, int keyval)
{
	return delete(AMPI_FN_MPI_Attr_delete, comm, keyval);
}

/* ---- datatypes ---- */

/* Predefined datatypes have no attributes: they are one object for all ranks of a worker. */
static struct vr_type *type_with_attrs(int fn, MPI_Datatype type, int *error)
{
	const struct vr_type *t = ampi_type(type);
	*error = MPI_SUCCESS;
	if (t && !(t->flags & VR_TYPE_PREDEFINED))
		return (struct vr_type *)t;
	*error = t ? ampi_raise(NULL, MPI_ERR_UNSUPPORTED_OPERATION, fn, "attributes of predefined datatypes are not served")
		   : ampi_bad_type(NULL, type, fn);
	return NULL;
}

static struct ampi_attr **type_attrs(struct vr_type *t)
{
	return (struct ampi_attr **)&t->attrs;
}

int ampi_Type_create_keyval(MPI_Type_copy_attr_function *copy, MPI_Type_delete_attr_function *delete, int *keyval, void *extra)
{
	return ampi_keyval_create(AMPI_FN_MPI_Type_create_keyval, copy, delete, extra, keyval);
}

int ampi_Type_free_keyval(int *keyval)
{
	return ampi_keyval_free(AMPI_FN_MPI_Type_free_keyval, keyval);
}

int ampi_Type_set_attr(MPI_Datatype type, int keyval, void *value)
{
	int error;
	struct vr_type *t = type_with_attrs(AMPI_FN_MPI_Type_set_attr, type, &error);
	return t ? ampi_attr_set(NULL, AMPI_FN_MPI_Type_set_attr, type_attrs(t), t->handle, keyval, value) : error;
}

int ampi_Type_get_attr(MPI_Datatype type, int keyval, void *value, int *flag)
{
	int error;
	struct vr_type *t = type_with_attrs(AMPI_FN_MPI_Type_get_attr, type, &error);
	return t ? ampi_attr_get(NULL, AMPI_FN_MPI_Type_get_attr, type_attrs(t), keyval, value, flag) : error;
}

int ampi_Type_delete_attr(MPI_Datatype type, int keyval)
{
	int error;
	struct vr_type *t = type_with_attrs(AMPI_FN_MPI_Type_delete_attr, type, &error);
	return t ? ampi_attr_delete(NULL, AMPI_FN_MPI_Type_delete_attr, type_attrs(t), t->handle, keyval) : error;
}

/* Go makes and frees datatypes; attributes with their callbacks are seen to here. */
int ampi_Type_dup(MPI_Datatype old, MPI_Datatype *new)
{
	const struct vr_type *t = ampi_type(old);
	int error = (int)ampi_serve(AMPI_FN_MPI_Type_dup, (uint64_t[]){(uint64_t)old, (uint64_t)new}, 2);
	if (error || !t->attrs)
		return error;
	error = ampi_attr_copy_all(t->attrs, t->handle, type_attrs((struct vr_type *)ampi_type(*new)));
	return error ? ampi_raise(NULL, error, AMPI_FN_MPI_Type_dup, "a copy function of an attribute returned an error") : MPI_SUCCESS;
}

int ampi_Type_free(MPI_Datatype *type)
{
	const struct vr_type *t = ampi_type(*type);
	if (t && t->attrs) {
		int error = ampi_attr_delete_all(type_attrs((struct vr_type *)t), t->handle);
		if (error)
			return ampi_raise(NULL, error, AMPI_FN_MPI_Type_free, "a delete function of an attribute returned an error");
	}
	return (int)ampi_serve(AMPI_FN_MPI_Type_free, (uint64_t[]){(uint64_t)type}, 1);
}
