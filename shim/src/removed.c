/* MPI-1 functions that MPI 3.0 removed and old programs still call, over the ones that replaced them. */
#include "shim.h"

int PMPI_Address(void *location, MPI_Aint *address)
{
    return PMPI_Get_address(location, address);
}
SHIM_WEAK(MPI_Address);

int PMPI_Errhandler_create(MPI_Handler_function *handler_fn, MPI_Errhandler *errhandler)
{
    return PMPI_Comm_create_errhandler(handler_fn, errhandler);
}
SHIM_WEAK(MPI_Errhandler_create);

int PMPI_Errhandler_get(MPI_Comm comm, MPI_Errhandler *errhandler)
{
    return PMPI_Comm_get_errhandler(comm, errhandler);
}
SHIM_WEAK(MPI_Errhandler_get);

int PMPI_Errhandler_set(MPI_Comm comm, MPI_Errhandler errhandler)
{
    return PMPI_Comm_set_errhandler(comm, errhandler);
}
SHIM_WEAK(MPI_Errhandler_set);

int PMPI_Type_extent(MPI_Datatype datatype, MPI_Aint *extent)
{
    MPI_Aint lb;

    return PMPI_Type_get_extent(datatype, &lb, extent);
}
SHIM_WEAK(MPI_Type_extent);

int PMPI_Type_lb(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;

    return PMPI_Type_get_extent(datatype, displacement, &extent);
}
SHIM_WEAK(MPI_Type_lb);

int PMPI_Type_ub(MPI_Datatype datatype, MPI_Aint *displacement)
{
    MPI_Aint extent;
    int err = PMPI_Type_get_extent(datatype, displacement, &extent);

    if (err == MPI_SUCCESS)
        *displacement += extent;
    return err;
}
SHIM_WEAK(MPI_Type_ub);

int PMPI_Type_hvector(int count, int blocklength, MPI_Aint stride, MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return PMPI_Type_create_hvector(count, blocklength, stride, oldtype, newtype);
}
SHIM_WEAK(MPI_Type_hvector);

int PMPI_Type_hindexed(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype oldtype, MPI_Datatype *newtype)
{
    return PMPI_Type_create_hindexed(count, blocklengths, displacements, oldtype, newtype);
}
SHIM_WEAK(MPI_Type_hindexed);

/* MPI_LB and MPI_UB among the types are the runtime's business. */
int PMPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *newtype)
{
    return PMPI_Type_create_struct(count, blocklengths, displacements, types, newtype);
}
SHIM_WEAK(MPI_Type_struct);

/* MPI_Remove_error_X of MPI 4.1 by the names that programs used before. */
#define DELETE(what) \
    int MPIX_Delete_error_##what(int code); \
    int MPIX_Delete_error_##what(int code) { return PMPI_Remove_error_##what(code); }

DELETE(class)
DELETE(code)
DELETE(string)
