/* Packing in C (MPI 5.0 section 5.2). */
#include "ampi.h"

#include <limits.h>

static int check(int fn, struct ampi_comm *c, MPI_Count count, MPI_Datatype type, const struct vr_type **t)
{
	*t = ampi_type(type);
	if (!*t || !((*t)->flags & VR_TYPE_COMMITTED))
		return ampi_bad_type(c, type, fn);
	if (count < 0)
		return ampi_raise(c, MPI_ERR_COUNT, fn, "count is %lld", (long long)count);
	return MPI_SUCCESS;
}

static int pack(int fn, const void *in, MPI_Count count, MPI_Datatype type, void *out, MPI_Count size, MPI_Count *position, MPI_Comm comm)
{
	const struct vr_type *t;
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	int error = check(fn, c, count, type, &t);
	if (error)
		return error;
	int64_t bytes = count * t->size;
	if (*position < 0 || bytes > size - *position)
		return ampi_raise(c, MPI_ERR_TRUNCATE, fn, "%lld bytes do not fit at position %lld of %lld", (long long)bytes,
				  (long long)*position, (long long)size);
	if (bytes && !out)
		return ampi_raise(c, MPI_ERR_BUFFER, fn, "outbuf is a null pointer");
	*position += vr_type_pack(t, count, in, (char *)out + *position, bytes);
	return MPI_SUCCESS;
}

static int unpack(int fn, const void *in, MPI_Count size, MPI_Count *position, void *out, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
	const struct vr_type *t;
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	int error = check(fn, c, count, type, &t);
	if (error)
		return error;
	int64_t bytes = count * t->size;
	if (*position < 0 || bytes > size - *position)
		return ampi_raise(c, MPI_ERR_TRUNCATE, fn, "%lld bytes are not there at position %lld of %lld", (long long)bytes,
				  (long long)*position, (long long)size);
	if (bytes && !in)
		return ampi_raise(c, MPI_ERR_BUFFER, fn, "inbuf is a null pointer");
	*position += vr_type_unpack(t, count, out, (const char *)in + *position, bytes);
	return MPI_SUCCESS;
}

static int pack_size(int fn, MPI_Count count, MPI_Datatype type, MPI_Comm comm, MPI_Count *size)
{
	const struct vr_type *t;
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	int error = check(fn, c, count, type, &t);
	if (!error)
		*size = count * t->size;
	return error;
}

int ampi_Pack(const void *in, int count, MPI_Datatype type, void *out, int size, int *position, MPI_Comm comm)
{
	MPI_Count at = *position;
	int error = pack(AMPI_FN_MPI_Pack, in, count, type, out, size, &at, comm);
	*position = (int)at;
	return error;
}

int ampi_Pack_c(const void *in, MPI_Count count, MPI_Datatype type, void *out, MPI_Count size, MPI_Count *position, MPI_Comm comm)
{
	return pack(AMPI_FN_MPI_Pack_c, in, count, type, out, size, position, comm);
}

int ampi_Unpack(const void *in, int size, int *position, void *out, int count, MPI_Datatype type, MPI_Comm comm)
{
	MPI_Count at = *position;
	int error = unpack(AMPI_FN_MPI_Unpack, in, size, &at, out, count, type, comm);
	*position = (int)at;
	return error;
}

int ampi_Unpack_c(const void *in, MPI_Count size, MPI_Count *position, void *out, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
	return unpack(AMPI_FN_MPI_Unpack_c, in, size, position, out, count, type, comm);
}

int ampi_Pack_size(int count, MPI_Datatype type, MPI_Comm comm, int *size)
{
	MPI_Count n = 0;
	int error = pack_size(AMPI_FN_MPI_Pack_size, count, type, comm, &n);
	*size = n > INT_MAX ? MPI_UNDEFINED : (int)n;
	return error;
}

int ampi_Pack_size_c(MPI_Count count, MPI_Datatype type, MPI_Comm comm, MPI_Count *size)
{
	return pack_size(AMPI_FN_MPI_Pack_size_c, count, type, comm, size);
}
