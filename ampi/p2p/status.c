/* What a status tells (MPI 5.0 sections 3.2.5, 5.1.11 and 13.3). */
#include "ampi/p2p/p2p_args.h"

#include <limits.h>
#include <string.h>

/* A status to look at or to change; MPI_STATUS_IGNORE is none. */
static int check(int fn, const MPI_Status *s, const char *name, const void *out)
{
	if (vr_unlikely(!s))
		return ampi_raise(NULL, MPI_ERR_ARG, fn, "status is MPI_STATUS_IGNORE");
	return ampi_check_out(NULL, fn, name, out);
}

static MPI_Count whole_elements(int64_t bytes, int64_t size)
{
	if (!size)
		return bytes ? MPI_UNDEFINED : 0;
	return bytes % size ? MPI_UNDEFINED : bytes / size;
}

static int narrow(MPI_Count n)
{
	return n > INT_MAX ? MPI_UNDEFINED : (int)n;
}

static int get_count(int fn, const MPI_Status *s, MPI_Datatype type, MPI_Count *count)
{
	const struct vr_type *t = ampi_type(type);
	int error = check(fn, s, "count", count);
	if (error)
		return error;
	if (!t)
		return ampi_bad_type(NULL, type, fn);
	*count = whole_elements(ampi_status_bytes(s), t->size);
	return MPI_SUCCESS;
}

int ampi_Get_count_c(const MPI_Status *s, MPI_Datatype type, MPI_Count *count)
{
	return get_count(AMPI_FN_MPI_Get_count_c, s, type, count);
}

int ampi_Get_count(const MPI_Status *s, MPI_Datatype type, int *count)
{
	MPI_Count n = 0;
	int error = get_count(AMPI_FN_MPI_Get_count, s, type, count ? &n : NULL);
	if (!error)
		*count = narrow(n);
	return error;
}

/* A predefined type that is not a pair. */
static int is_one_value(const struct vr_type *t)
{
	return (t->flags & VR_TYPE_PREDEFINED) && t->kind < VR_KIND_F32_I32;
}

/* Types of one value count by division; Go walks the type map of others. */
static int get_elements(int fn, const MPI_Status *s, MPI_Datatype type, MPI_Count *count)
{
	const struct vr_type *t = ampi_type(type);
	int error = check(fn, s, "count", count);
	if (error)
		return error;
	int64_t bytes = ampi_status_bytes(s);
	if (!t)
		return ampi_bad_type(NULL, type, fn);
	if (is_one_value(t)) {
		*count = whole_elements(bytes, t->size);
		return MPI_SUCCESS;
	}
	return ampi_serve(AMPI_FN_TYPE_ELEMENTS, (uint64_t[]){(uint64_t)type, bytes, (uint64_t)count}, 3);
}

int ampi_Get_elements_c(const MPI_Status *s, MPI_Datatype type, MPI_Count *count)
{
	return get_elements(AMPI_FN_MPI_Get_elements_c, s, type, count);
}

int ampi_Get_elements_x(const MPI_Status *s, MPI_Datatype type, MPI_Count *count)
{
	return get_elements(AMPI_FN_MPI_Get_elements_x, s, type, count);
}

int ampi_Get_elements(const MPI_Status *s, MPI_Datatype type, int *count)
{
	MPI_Count n = 0;
	int error = get_elements(AMPI_FN_MPI_Get_elements, s, type, count ? &n : NULL);
	if (!error)
		*count = narrow(n);
	return error;
}

static void set_bytes(MPI_Status *s, int64_t bytes)
{
	memcpy(s->MPI_internal, &bytes, sizeof bytes);
}

static int set_elements(int fn, MPI_Status *s, MPI_Datatype type, MPI_Count count)
{
	const struct vr_type *t = ampi_type(type);
	int error = check(fn, s, "status", s);
	if (error)
		return error;
	if (!t)
		return ampi_bad_type(NULL, type, fn);
	MPI_Count bytes = 0;
	if (count < 0 || (is_one_value(t) && __builtin_mul_overflow(count, t->size, &bytes)))
		return ampi_bad_count(NULL, fn, count);
	if (!is_one_value(t))
		error = (int)ampi_serve_as(fn, AMPI_FN_TYPE_BYTES, (uint64_t[]){(uint64_t)type, count, (uint64_t)&bytes}, 3);
	if (!error)
		set_bytes(s, bytes);
	return error;
}

int ampi_Status_set_elements(MPI_Status *s, MPI_Datatype type, int count)
{
	return set_elements(AMPI_FN_MPI_Status_set_elements, s, type, count);
}

int ampi_Status_set_elements_c(MPI_Status *s, MPI_Datatype type, MPI_Count count)
{
	return set_elements(AMPI_FN_MPI_Status_set_elements_c, s, type, count);
}

int ampi_Status_set_elements_x(MPI_Status *s, MPI_Datatype type, MPI_Count count)
{
	return set_elements(AMPI_FN_MPI_Status_set_elements_x, s, type, count);
}

int ampi_Status_set_cancelled(MPI_Status *s, int flag)
{
	int error = check(AMPI_FN_MPI_Status_set_cancelled, s, "status", s);
	if (error)
		return error;
	s->MPI_internal[2] = !!flag;
	return MPI_SUCCESS;
}

#define FIELD(name, field)                                                                                                          \
	int ampi_Status_get_##name(const MPI_Status *s, int *v)                                                                       \
	{                                                                                                                             \
		int error = check(AMPI_FN_MPI_Status_get_##name, s, "value", v);                                                      \
		if (error)                                                                                                            \
			return error;                                                                                                 \
		*v = s->field;                                                                                                        \
		return MPI_SUCCESS;                                                                                                   \
	}                                                                                                                             \
	int ampi_Status_set_##name(MPI_Status *s, int v)                                                                              \
	{                                                                                                                             \
		int error = check(AMPI_FN_MPI_Status_set_##name, s, "status", s);                                                     \
		if (error)                                                                                                            \
			return error;                                                                                                 \
		s->field = v;                                                                                                         \
		return MPI_SUCCESS;                                                                                                   \
	}
FIELD(source, MPI_SOURCE)
FIELD(tag, MPI_TAG)
FIELD(error, MPI_ERROR)
