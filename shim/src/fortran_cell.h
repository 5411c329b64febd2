/* Attribute values set in Fortran. C sees a pointer to the integer where Fortran has the integer (MPI 5.0 section 19.3.7), so each
 * value lies in a cell, and the address of the cell is what MPI keeps. */
#ifndef AMPI_SHIM_FORTRAN_CELL_H
#define AMPI_SHIM_FORTRAN_CELL_H

#include "fortran.h"

/* The attribute for a value set in Fortran, NULL when there is no memory. */
SHIM_HIDDEN void *f_cell_new(MPI_Aint value);

/* What Fortran sees of an attribute: the value in its cell, or the pointer itself when C has set it. */
SHIM_HIDDEN MPI_Aint f_cell_value(void *attribute);

/* Stores the copy of an attribute at out, in a cell of its own if the attribute has one; returns an MPI error code. */
SHIM_HIDDEN int f_cell_copy(void *attribute, MPI_Aint copied, void *out);

/* Frees the cell of an attribute; those that C has set have none. */
SHIM_HIDDEN void f_cell_free(void *attribute);

#endif
