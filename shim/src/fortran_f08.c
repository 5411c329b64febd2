/* What the mpi_f08 module has beyond the bindings of mpif.h: comparison of handles, and conversion of statuses. */
#include "fortran.h"

#include <string.h>

#define COMPARE(handle) \
    SHIM_EXPORT MPI_Fint ampi_f_##handle##_eq_(const MPI_Fint *a, const MPI_Fint *b) { return *a == *b; } \
    SHIM_EXPORT MPI_Fint ampi_f_##handle##_ne_(const MPI_Fint *a, const MPI_Fint *b) { return *a != *b; }

COMPARE(comm)
COMPARE(errhandler)
COMPARE(file)
COMPARE(group)
COMPARE(info)
COMPARE(message)
COMPARE(op)
COMPARE(request)
COMPARE(session)
COMPARE(type)
COMPARE(win)

void pmpi_status_f2f08_(const MPI_Fint *f_status, MPI_Fint *f08_status, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    *ierror = MPI_Status_f2f08(f_status, (MPI_F08_status *)f08_status);
}
F_WEAK(mpi_status_f2f08_);
F_F08(mpi_status_f2f08);

void pmpi_status_f082f_(const MPI_Fint *f08_status, MPI_Fint *f_status, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    *ierror = MPI_Status_f082f((const MPI_F08_status *)f08_status, f_status);
}
F_WEAK(mpi_status_f082f_);
F_F08(mpi_status_f082f);
