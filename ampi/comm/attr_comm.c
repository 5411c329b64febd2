/* Attribute calls of communicators, and the predefined attributes: those of MPI_COMM_WORLD (MPI 5.0 section 9.1.2), and AMPI's, by
 * which a worker is a process with one thread. */
#include "ampi/comm/attr.h"

#include <limits.h>

const int *ampi_place_attr(int keyval)
{
	switch (keyval) {
	case AMPI_MY_WTH:
	case AMPI_MY_PROCESS:
		return &vr_pe->id;
	case AMPI_MY_HOME_WTH:
		return &vr_job->pe[vr_current->home_pe].id;
	case AMPI_NUM_WTHS:
	case AMPI_NUM_PROCESSES:
		return &vr_job->pes;
	}
	return NULL;
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
	return ampi_place_attr(keyval);
}

static int is_predefined(int keyval)
{
	return predefined(keyval) || keyval == MPI_APPNUM;
}

static struct ampi_holder holder(struct ampi_comm *c, int fn)
{
	return (struct ampi_holder){AMPI_COMM, c->handle, &c->attrs, {AMPI_COMM, c->handle, c->errhandler}, fn};
}

static int get(int fn, MPI_Comm comm, int keyval, void *value, int *flag)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	struct ampi_holder h = holder(c, fn);
	if (!is_predefined(keyval))
		return ampi_attr_get(&h, keyval, value, flag);
	const int *p = predefined(keyval);
	*flag = p != NULL; /* MPI_APPNUM is not set: the job was not started as one of many programs */
	if (p)
		*(const int **)value = p;
	return MPI_SUCCESS;
}

static int read_only(struct ampi_comm *c, int fn, int keyval)
{
	return ampi_raise(c, MPI_ERR_KEYVAL, fn, "keyval %d is a predefined attribute, which cannot be changed", keyval);
}

static int set(int fn, MPI_Comm comm, int keyval, void *value)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	struct ampi_holder h = holder(c, fn);
	return is_predefined(keyval) ? read_only(c, fn, keyval) : ampi_attr_set(&h, keyval, value);
}

static int delete(int fn, MPI_Comm comm, int keyval)
{
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	struct ampi_holder h = holder(c, fn);
	return is_predefined(keyval) ? read_only(c, fn, keyval) : ampi_attr_delete(&h, keyval);
}

int ampi_Comm_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *keyval, void *extra)
{
	return ampi_keyval_create(AMPI_FN_MPI_Comm_create_keyval, AMPI_COMM, copy, delete, extra, keyval);
}

int ampi_Keyval_create(MPI_Copy_function *copy, MPI_Delete_function *delete, int *keyval, void *extra)
{
	return ampi_keyval_create(AMPI_FN_MPI_Keyval_create, AMPI_COMM, copy, delete, extra, keyval);
}

int ampi_Comm_free_keyval(int *keyval)
{
	return ampi_keyval_free(AMPI_FN_MPI_Comm_free_keyval, AMPI_COMM, keyval);
}

int ampi_Keyval_free(int *keyval)
{
	return ampi_keyval_free(AMPI_FN_MPI_Keyval_free, AMPI_COMM, keyval);
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
