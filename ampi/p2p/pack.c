/* Packing in C (MPI 5.0 section 5.2). */
#include "ampi/p2p/p2p_args.h"

#include <limits.h>

/* A place in a packed buffer, checked: so many bytes lie at it. */
static int check_place(const struct ampi_transfer *t, const void *packed, MPI_Count size, const MPI_Count *position, int64_t bytes)
{
	if (size < 0)
		return ampi_raise(t->comm, MPI_ERR_ARG, t->fn, "the size of the packed buffer is %lld", (long long)size);
	if (*position < 0)
		return ampi_raise(t->comm, MPI_ERR_ARG, t->fn, "position is %lld", (long long)*position);
	if (bytes > size - *position)
		return ampi_raise(t->comm, MPI_ERR_TRUNCATE, t->fn, "%lld bytes are wanted at position %lld of a packed buffer of %lld",
				  (long long)bytes, (long long)*position, (long long)size);
	return bytes && !packed ? ampi_bad_pointer(t->comm, t->fn, "the packed buffer") : MPI_SUCCESS;
}

static int pack(int fn, const void *in, MPI_Count count, MPI_Datatype type, void *out, MPI_Count size, MPI_Count *position, MPI_Comm comm)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, in, count, type);
	if (error || (error = check_place(&t, out, size, position, count * t.type->size)))
		return error;
	*position += vr_type_pack(t.type, count, in, (char *)out + *position, count * t.type->size);
	return MPI_SUCCESS;
}

static int unpack(int fn, const void *in, MPI_Count size, MPI_Count *position, void *out, MPI_Count count, MPI_Datatype type, MPI_Comm comm)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, out, count, type);
	if (error || (error = check_place(&t, in, size, position, count * t.type->size)))
		return error;
	*position += vr_type_unpack(t.type, count, out, (const char *)in + *position, count * t.type->size);
	return MPI_SUCCESS;
}

static int pack_size(int fn, MPI_Count count, MPI_Datatype type, MPI_Comm comm, MPI_Count *size)
{
	struct ampi_transfer t;
	int error = ampi_check_transfer(&t, fn, comm, &t, count, type);
	if (!error)
		*size = count * t.type->size;
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
	int error = pack_size(AMPI_FN_MPI_Pack_size, count, type, comm, size ? &n : NULL);
	if (!error)
		*size = n > INT_MAX ? MPI_UNDEFINED : (int)n;
	return error;
}

int ampi_Pack_size_c(MPI_Count count, MPI_Datatype type, MPI_Comm comm, MPI_Count *size)
{
	return pack_size(AMPI_FN_MPI_Pack_size_c, count, type, comm, size);
}
