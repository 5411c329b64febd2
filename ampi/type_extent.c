/* Sizes and extents of datatypes (MPI 5.0 sections 5.1.5 to 5.1.8), on the rank's own stack: programs that walk types ask for them often. */
#include "ampi.h"

#include <limits.h>

/* NULL when the error is raised, which is *error then. */
static const struct vr_type *type_of(MPI_Datatype handle, int fn, int *error)
{
	const struct vr_type *t = ampi_running() ? ampi_type(handle) : NULL;
	*error = MPI_SUCCESS;
	if (vr_unlikely(!t))
		*error = ampi_running() ? ampi_bad_type(NULL, handle, fn) : ampi_bad_comm(MPI_COMM_SELF, fn);
	return t;
}

/* One that does not fit is MPI_UNDEFINED. */
static int narrow(int64_t size)
{
	return size > INT_MAX ? MPI_UNDEFINED : (int)size;
}

#define SIZE(NAME, COUNT, AS)                                                                                                       \
	int ampi_##NAME(MPI_Datatype datatype, COUNT *size)                                                                           \
	{                                                                                                                             \
		int error;                                                                                                            \
		const struct vr_type *t = type_of(datatype, AMPI_FN_MPI_##NAME, &error);                                              \
		if (t)                                                                                                                \
			*size = AS(t->size);                                                                                          \
		return error;                                                                                                         \
	}

#define BOUNDS(NAME, DISPL, LB, EXTENT)                                                                                             \
	int ampi_##NAME(MPI_Datatype datatype, DISPL *lb, DISPL *extent)                                                              \
	{                                                                                                                             \
		int error;                                                                                                            \
		const struct vr_type *t = type_of(datatype, AMPI_FN_MPI_##NAME, &error);                                              \
		if (t) {                                                                                                              \
			*lb = t->LB;                                                                                                  \
			*extent = t->EXTENT;                                                                                          \
		}                                                                                                                     \
		return error;                                                                                                         \
	}

SIZE(Type_size, int, narrow)
SIZE(Type_size_c, MPI_Count, )
SIZE(Type_size_x, MPI_Count, )

BOUNDS(Type_get_extent, MPI_Aint, lb, extent)
BOUNDS(Type_get_extent_c, MPI_Count, lb, extent)
BOUNDS(Type_get_extent_x, MPI_Count, lb, extent)
BOUNDS(Type_get_true_extent, MPI_Aint, true_lb, true_extent)
BOUNDS(Type_get_true_extent_c, MPI_Count, true_lb, true_extent)
BOUNDS(Type_get_true_extent_x, MPI_Count, true_lb, true_extent)
