/* A profiling tool linked into the program: its MPI_Send is called instead of the shim's, from C and from Fortran, and
 * reaches the runtime by PMPI_Send. */
#include <mpi.h>
#include <stdio.h>

int MPI_Send(const void *buf, int count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm)
{
    printf("profiled\n");
    return PMPI_Send(buf, count, datatype, dest, tag, comm);
}

void mpi_send_(void *, int *, int *, int *, int *, int *, int *);

int main(void)
{
    double x = 1.25;
    int one = 1, type = 0x214, comm = 0x101, err;

    MPI_Send(&x, 1, MPI_DOUBLE, 2, 3, MPI_COMM_WORLD);
    mpi_send_(&x, &one, &type, &one, &one, &comm, &err);
    return err;
}
