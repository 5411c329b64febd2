/* What programs ask of datatypes again and again (MPI 5.0 sections 5.1.5, 5.1.7 and 5.1.8), without a way to Go, which makes the types. */
#include "ampi/ampi.h"

#include <limits.h>

/* NULL: it was raised that this is no datatype, *error says the class. */
static inline const struct vr_type *find_type(MPI_Datatype type, int fn, int *error)
{
	const struct vr_type *t = vr_likely(ampi_running()) ? ampi_type(type) : NULL;
	*error = MPI_SUCCESS;
	if (vr_unlikely(!t))
		*error = ampi_running() ? ampi_bad_type(NULL, type, fn) : ampi_bad_comm(MPI_COMM_SELF, fn);
	return t;
}

int ampi_Type_size(MPI_Datatype datatype, int *size)
{
	int error;
	const struct vr_type *t = find_type(datatype, AMPI_FN_MPI_Type_size, &error);
	if (vr_likely(t != NULL))
		*size = t->size > INT_MAX ? MPI_UNDEFINED : (int)t->size;
	return error;
}

static inline int wide_size(int fn, MPI_Datatype datatype, MPI_Count *size)
{
	int error;
	const struct vr_type *t = find_type(datatype, fn, &error);
	if (vr_likely(t != NULL))
		*size = t->size;
	return error;
}

int ampi_Type_size_c(MPI_Datatype datatype, MPI_Count *size)
{
	return wide_size(AMPI_FN_MPI_Type_size_c, datatype, size);
}

int ampi_Type_size_x(MPI_Datatype datatype, MPI_Count *size)
{
	return wide_size(AMPI_FN_MPI_Type_size_x, datatype, size);
}

/* Addresses and counts have the same width. */
#define EXTENT(NAME, NUMBER, LB, EXTENT)                                                                                            \
	int ampi_##NAME(MPI_Datatype datatype, NUMBER *lb, NUMBER *extent)                                                            \
	{                                                                                                                             \
		int error;                                                                                                            \
		const struct vr_type *t = find_type(datatype, AMPI_FN_MPI_##NAME, &error);                                                 \
		if (vr_likely(t != NULL)) {                                                                                           \
			*lb = t->LB;                                                                                                  \
			*extent = t->EXTENT;                                                                                          \
		}                                                                                                                     \
		return error;                                                                                                         \
	}

EXTENT(Type_get_extent, MPI_Aint, lb, extent)
EXTENT(Type_get_extent_c, MPI_Count, lb, extent)
EXTENT(Type_get_extent_x, MPI_Count, lb, extent)
EXTENT(Type_get_true_extent, MPI_Aint, true_lb, true_extent)
EXTENT(Type_get_true_extent_c, MPI_Count, true_lb, true_extent)
EXTENT(Type_get_true_extent_x, MPI_Count, true_lb, true_extent)
