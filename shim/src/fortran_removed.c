/* MPI-1 procedures that MPI 3.0 removed. Their addresses and displacements are default INTEGERs: 32 bits, of which only
 * differences can be trusted, and those only within 2 GiB. */
#include "fortran.h"

#include <stdlib.h>

void pmpi_address_(void *location, MPI_Fint *address, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    MPI_Aint wide = 0;

    *ierror = MPI_Address(f_buffer(location), &wide);
    *address = (MPI_Fint)wide;
}
F_WEAK(mpi_address_);

void pmpi_errhandler_create_(f_function *handler_fn, MPI_Fint *errhandler, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    MPI_Errhandler created = MPI_ERRHANDLER_NULL;

    *ierror = MPI_Errhandler_create((MPI_Handler_function *)handler_fn, &created);
    *errhandler = F_INT(created);
}
F_WEAK(mpi_errhandler_create_);

void pmpi_errhandler_get_(MPI_Fint *comm, MPI_Fint *errhandler, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    MPI_Errhandler found = MPI_ERRHANDLER_NULL;

    *ierror = MPI_Errhandler_get(F_HANDLE(MPI_Comm, *comm), &found);
    *errhandler = F_INT(found);
}
F_WEAK(mpi_errhandler_get_);

void pmpi_errhandler_set_(MPI_Fint *comm, MPI_Fint *errhandler, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    *ierror = MPI_Errhandler_set(F_HANDLE(MPI_Comm, *comm), F_HANDLE(MPI_Errhandler, *errhandler));
}
F_WEAK(mpi_errhandler_set_);

#define TYPE_BOUND(name) \
    void pmpi_type_##name##_(MPI_Fint *datatype, MPI_Fint *bound, MPI_Fint *ierror) \
    { \
        MPI_Aint wide = 0; \
        *ierror = MPI_Type_##name(F_HANDLE(MPI_Datatype, *datatype), &wide); \
        *bound = (MPI_Fint)wide; \
    } \
    F_WEAK(mpi_type_##name##_)

TYPE_BOUND(extent);
TYPE_BOUND(lb);
TYPE_BOUND(ub);

void pmpi_type_hvector_(MPI_Fint *count, MPI_Fint *blocklength, MPI_Fint *stride, MPI_Fint *oldtype, MPI_Fint *newtype,
                        MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    MPI_Datatype created = MPI_DATATYPE_NULL;

    *ierror = MPI_Type_hvector(*count, *blocklength, *stride, F_HANDLE(MPI_Datatype, *oldtype), &created);
    *newtype = F_INT(created);
}
F_WEAK(mpi_type_hvector_);

/* Widens n displacements; NULL when there is no memory. */
static MPI_Aint *displacements_in(const MPI_Fint *from, MPI_Fint n)
{
    MPI_Aint *wide = malloc((n > 0 ? (size_t)n : 1) * sizeof *wide);

    for (MPI_Fint i = 0; wide != NULL && i < n; i++)
        wide[i] = from[i];
    return wide;
}

void pmpi_type_hindexed_(MPI_Fint *count, MPI_Fint *blocklengths, MPI_Fint *displacements, MPI_Fint *oldtype, MPI_Fint *newtype,
                         MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    MPI_Aint *wide = displacements_in(displacements, *count);
    MPI_Datatype created = MPI_DATATYPE_NULL;

    *ierror = MPI_ERR_NO_MEM;
    if (wide != NULL)
        *ierror = MPI_Type_hindexed(*count, blocklengths, wide, F_HANDLE(MPI_Datatype, *oldtype), &created);
    *newtype = F_INT(created);
    free(wide);
}
F_WEAK(mpi_type_hindexed_);

void pmpi_type_struct_(MPI_Fint *count, MPI_Fint *blocklengths, MPI_Fint *displacements, MPI_Fint *types, MPI_Fint *newtype,
                       MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    struct f_handles types_h;
    void *types_c = f_handles_load(&types_h, types, *count);
    MPI_Aint *wide = displacements_in(displacements, *count);
    MPI_Datatype created = MPI_DATATYPE_NULL;

    *ierror = MPI_ERR_NO_MEM;
    if (types_c != NULL && wide != NULL)
        *ierror = MPI_Type_struct(*count, blocklengths, wide, types_c, &created);
    *newtype = F_INT(created);
    free(wide);
    f_handles_free(&types_h);
}
F_WEAK(mpi_type_struct_);

/* Does nothing but be a call that the compiler cannot look into: that is its whole purpose (MPI 5.0 section 19.1.17). */
void pmpi_f_sync_reg_(void *buf)
{
    (void)buf;
}
F_WEAK(mpi_f_sync_reg_);
