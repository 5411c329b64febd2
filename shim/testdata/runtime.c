/* A program with the runtime's table linked in: calls go through shim and table to a core function where there
 * is one, else as words to ampi_serve. */
#include "mpi.h"
#include "table.h"

#include <stdio.h>

int ampi_shim_unpack(const struct ampi_shim_table *t);
const struct ampi_shim_table *ampi_table(void);
int ampi_core_serves(int fn);

int ampi_serve(int fn, uint64_t *args, int n)
{
    printf("serve %d:", fn);
    for (int i = 0; i < n; i++)
        printf(" %lld", (long long)args[i]);
    printf("\n");
    return fn == AMPI_FN_MPI_Comm_fromint ? 259 : MPI_ERR_OTHER;
}

int ampi_null_argument(int fn, uint64_t comm, const char *name)
{
    printf("null %d %lld %s\n", fn, (long long)comm, name);
    return MPI_ERR_ARG;
}

int ampi_check_info(int fn, uint64_t comm, MPI_Info info)
{
    printf("info %d %lld %lld\n", fn, (long long)comm, (long long)(intptr_t)info);
    return MPI_SUCCESS;
}

int ampi_Comm_rank(MPI_Comm comm, int *rank)
{
    *rank = (int)(intptr_t)comm;
    return MPI_SUCCESS;
}

int main(void)
{
    int rank = 0;

    if (ampi_shim_unpack(ampi_table()) != 0)
        return 1;
    printf("core %d %d %d\n", ampi_core_serves(AMPI_FN_MPI_Comm_rank), ampi_core_serves(AMPI_FN_MPI_Send), ampi_core_serves(-1));
    MPI_Comm_rank(MPI_COMM_SELF, &rank);
    printf("rank %d\n", rank);
    MPI_Comm_rank(MPI_COMM_SELF, NULL);
    printf("send %d\n", MPI_Send(MPI_BOTTOM, 4000000, MPI_INT, MPI_PROC_NULL, MPI_ANY_TAG, MPI_COMM_WORLD));
    printf("finalize %d\n", MPI_Finalize());
    printf("pcontrol %d\n", MPI_Pcontrol(-1, "text", 2.5));
    printf("fromint %d\n", (int)(intptr_t)MPI_Comm_fromint(259));
    printf("offset %d\n", MPI_File_seek(MPI_FILE_NULL, -5000000000, MPI_SEEK_SET));
    return 0;
}
