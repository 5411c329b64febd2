/* Conversions between C and Fortran handles and statuses (MPI 5.0 section 19.3): a handle is a small
 * integer in disguise, and a status has one layout in both languages. */
#include "shim.h"

#include <string.h>

#define CONVERT(name, type) \
    MPI_Fint PMPI_##name##_c2f(type handle) { return (MPI_Fint)(intptr_t)handle; } \
    type PMPI_##name##_f2c(MPI_Fint handle) { return (type)(intptr_t)handle; } \
    SHIM_WEAK(MPI_##name##_c2f); \
    SHIM_WEAK(MPI_##name##_f2c)

CONVERT(Comm, MPI_Comm);
CONVERT(Errhandler, MPI_Errhandler);
CONVERT(File, MPI_File);
CONVERT(Group, MPI_Group);
CONVERT(Info, MPI_Info);
CONVERT(Message, MPI_Message);
CONVERT(Op, MPI_Op);
CONVERT(Request, MPI_Request);
CONVERT(Session, MPI_Session);
CONVERT(Type, MPI_Datatype);
CONVERT(Win, MPI_Win);

_Static_assert(sizeof(MPI_Status) == 8 * sizeof(MPI_Fint), "a status is 8 integers in Fortran");
_Static_assert(sizeof(MPI_F08_status) == sizeof(MPI_Status), "one layout in all languages");

static int status_copy(void *to, const void *from)
{
    memcpy(to, from, sizeof(MPI_Status));
    return MPI_SUCCESS;
}

#define CONVERT_STATUS(name, from_type, to_type) \
    int PMPI_Status_##name(const from_type *from, to_type *to) { return status_copy(to, from); } \
    SHIM_WEAK(MPI_Status_##name)

CONVERT_STATUS(c2f, MPI_Status, MPI_Fint);
CONVERT_STATUS(f2c, MPI_Fint, MPI_Status);
CONVERT_STATUS(c2f08, MPI_Status, MPI_F08_status);
CONVERT_STATUS(f082c, MPI_F08_status, MPI_Status);
CONVERT_STATUS(f2f08, MPI_Fint, MPI_F08_status);
CONVERT_STATUS(f082f, MPI_F08_status, MPI_Fint);
