/* Choice buffers of the mpi_f08 module: gfortran passes a descriptor, which may describe a section with gaps. */
#ifndef AMPI_SHIM_FORTRAN_ARRAY_H
#define AMPI_SHIM_FORTRAN_ARRAY_H

#include "fortran.h"

/* The descriptor of gfortran from version 9 on, for dummy arguments with DIMENSION(..). */
struct f_array {
    void *base; /* the first element of the section */
    size_t offset;
    size_t length; /* bytes of one element */
    int version;
    signed char rank, type;
    short attribute;
    ptrdiff_t span; /* bytes that one unit of a stride stands for */
    struct f_dim {
        ptrdiff_t stride, lower, upper;
    } dim[15];
};

/* An array without the dimensions that make no difference: those of one element, and those that just go on where the one before
 * ended. A contiguous array has none or one. */
struct f_shape {
    char *base;
    MPI_Count length; /* bytes of one element */
    MPI_Count total;  /* elements */
    int rank;
    MPI_Count extent[15];
    MPI_Count stride[15]; /* bytes */
};

SHIM_HIDDEN struct f_shape f_shape_of(const struct f_array *a);

/* Bytes from the base to element n in array element order, which may be the one after the last. */
SHIM_HIDDEN MPI_Count f_shape_offset(const struct f_shape *s, MPI_Count n);

/* Tells whether every element i * n lies at i times the place of element n. */
SHIM_HIDDEN int f_shape_repeats(const struct f_shape *s, MPI_Count n);

/* Copies all elements to packed, one after another. */
SHIM_HIDDEN void f_shape_gather(const struct f_shape *s, char *packed);

/* Copies back the elements in which packed differs from before. The others are left alone: another operation that is under way may
 * own them. */
SHIM_HIDDEN void f_shape_scatter(const struct f_shape *s, const char *packed, const char *before);

/* Tells whether the array's memory has no gaps. An assumed-size array has none; its last extent is -1. */
SHIM_HIDDEN int f_flat(const struct f_array *a);

/* What a call does with one of its buffers. */
enum f_role {
    F_UNUSED,  /* nothing: MPI does not look at it in this process */
    F_WHOLE,   /* count elements of one datatype */
    F_BLOCKS,  /* such a block for each process */
    F_VECTOR,  /* blocks at displacements, in units of one datatype */
    F_PACKED,  /* bytes, or elements that a datatype with gaps cannot describe: only a copy can serve */
};

/* A buffer as the binding for plain addresses takes it. */
struct f_section {
    void *base;
    MPI_Fint count;        /* for F_WHOLE and F_BLOCKS */
    MPI_Count large_count; /* the same */
    MPI_Fint type;         /* for all but F_PACKED */
    MPI_Datatype made;     /* to be freed, MPI_DATATYPE_NULL when none was made */
    struct f_shape shape;
    char *copy, *before;   /* in the place of the array, NULL when not needed */
};

/* Says which argument of which call a section is, and what may be done for it. */
struct f_place {
    const char *call, *argument;
    MPI_Fint comm;
    int blocking; /* the call is over when it returns, so a copy can take the array's place */
};

/* Prepares the array for a call. Returns MPI_SUCCESS, or the code of an error that has been raised: F_UNUSED, and an array without
 * gaps, cannot fail. Close s in any case. */
SHIM_HIDDEN int f_section_open(struct f_section *s, const struct f_place *at, const struct f_array *a, enum f_role role, MPI_Count count,
                               MPI_Fint type);

/* Raises an error for an array that MPI keeps the address of, and which has gaps. */
SHIM_HIDDEN int f_section_refuse(const struct f_place *at);

/* Writes results back and frees what the n sections hold. */
SHIM_HIDDEN void f_section_close(struct f_section *s, int n);

/* Where a rooted collective looks at the arguments of the root, and at those of the others. */
SHIM_HIDDEN int f_at_root(MPI_Fint comm, MPI_Fint root);
SHIM_HIDDEN int f_at_leaf(MPI_Fint root);

/* The datatype of count elements of type laid out over the shape, not committed. */
SHIM_HIDDEN int f_layout_make(const struct f_shape *s, MPI_Count count, MPI_Datatype type, MPI_Datatype *made);

#endif
