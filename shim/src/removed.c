/* MPI-1 functions that MPI 3.0 removed and old programs still call, over the ones that replaced them. */
#include "shim.h"

#include <stdlib.h>

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
    MPI_Aint lb, extent;
    int err = PMPI_Type_get_extent(datatype, &lb, displacement == NULL ? NULL : &extent);

    if (err == MPI_SUCCESS)
        *displacement = lb + extent;
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

/* A struct type without its MPI_LB and MPI_UB entries, and where they were. */
struct marked {
    int count;
    int *blocklengths;
    MPI_Aint *displacements;
    MPI_Datatype *types;
    int has_lb, has_ub;
    MPI_Aint lb, ub;
};

static int marker_count(int count, const MPI_Datatype types[])
{
    int n = 0;

    for (int i = 0; i < count; i++)
        n += types[i] == MPI_LB || types[i] == MPI_UB;
    return n;
}

static void marked_add(struct marked *m, int blocklength, MPI_Aint displacement, MPI_Datatype type)
{
    if (type == MPI_LB) {
        m->lb = m->has_lb && m->lb < displacement ? m->lb : displacement;
        m->has_lb = 1;
    } else if (type == MPI_UB) {
        m->ub = m->has_ub && m->ub > displacement ? m->ub : displacement;
        m->has_ub = 1;
    } else {
        m->blocklengths[m->count] = blocklength;
        m->displacements[m->count] = displacement;
        m->types[m->count++] = type;
    }
}

/* Builds the plain struct, then sets the bounds that the markers ask for. */
static int marked_build(const struct marked *m, MPI_Datatype *newtype)
{
    MPI_Datatype plain;
    MPI_Aint lb, extent;
    int err = PMPI_Type_create_struct(m->count, m->blocklengths, m->displacements, m->types, &plain);

    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Type_get_extent(plain, &lb, &extent);
    if (err == MPI_SUCCESS) {
        MPI_Aint low = m->has_lb ? m->lb : lb;
        MPI_Aint high = m->has_ub ? m->ub : lb + extent;
        err = PMPI_Type_create_resized(plain, low, high - low, newtype);
    }
    PMPI_Type_free(&plain);
    return err;
}

int PMPI_Type_struct(int count, int blocklengths[], MPI_Aint displacements[], MPI_Datatype types[], MPI_Datatype *newtype)
{
    struct marked m = {0};
    int err = MPI_ERR_NO_MEM;

    if (marker_count(count, types) == 0)
        return PMPI_Type_create_struct(count, blocklengths, displacements, types, newtype);
    m.blocklengths = malloc((size_t)count * sizeof *m.blocklengths);
    m.displacements = malloc((size_t)count * sizeof *m.displacements);
    m.types = malloc((size_t)count * sizeof *m.types);
    if (m.blocklengths != NULL && m.displacements != NULL && m.types != NULL) {
        for (int i = 0; i < count; i++)
            marked_add(&m, blocklengths[i], displacements[i], types[i]);
        err = marked_build(&m, newtype);
    }
    free(m.blocklengths);
    free(m.displacements);
    free(m.types);
    return err;
}
SHIM_WEAK(MPI_Type_struct);
