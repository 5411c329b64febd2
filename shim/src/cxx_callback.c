/* C functions that MPI can call for C++ ones. Operations and error handlers get no extra state, so each
 * C++ function takes a C function of its own out of a fixed supply; programs have as many as stand in their source. */
#include "cxx.h"

#include <stdlib.h>

/* The C functions, in cxx_amd64.S, and what they go to. */
SHIM_HIDDEN extern const char cxx_op_entries[], cxx_comm_entries[], cxx_win_entries[], cxx_file_entries[];
SHIM_HIDDEN void cxx_op_call(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype, int number);
SHIM_HIDDEN void cxx_comm_call(MPI_Comm *comm, int *error_code, int number);
SHIM_HIDDEN void cxx_win_call(MPI_Win *win, int *error_code, int number);
SHIM_HIDDEN void cxx_file_call(MPI_File *file, int *error_code, int number);

#define ENTRY_SIZE 16
#define OPS 256
#define HANDLERS 64

/* The C++ functions that have taken the C functions of a kind, in order; the rest is NULL. Allocated by the first one: every
 * rank has a copy of this program's variables, and those of C have no use for a page of them. */
static ampi_cxx_function **op_taken, **comm_taken, **win_taken, **file_taken;

/* All of a kind have the same caller: it is a function of mpicxx.h, of which a program has one. */
static ampi_cxx_op_caller *op_caller;
static ampi_cxx_comm_caller *comm_caller;
static ampi_cxx_win_caller *win_caller;
static ampi_cxx_file_caller *file_caller;

static const void *take(ampi_cxx_function ***table, int count, const char *entries, ampi_cxx_function *fn)
{
    ampi_cxx_function **taken = *table;

    if (taken == NULL)
        taken = *table = calloc(count, sizeof *taken);
    for (int i = 0; taken != NULL && i < count; i++) {
        if (taken[i] == NULL)
            taken[i] = fn;
        if (taken[i] == fn)
            return entries + i * ENTRY_SIZE;
    }
    return NULL;
}

SHIM_EXPORT MPI_User_function *ampi_cxx_op(ampi_cxx_function *fn, ampi_cxx_op_caller *caller)
{
    op_caller = caller;
    return (MPI_User_function *)take(&op_taken, OPS, cxx_op_entries, fn);
}

void cxx_op_call(void *invec, void *inoutvec, int *len, MPI_Datatype *datatype, int number)
{
    op_caller(op_taken[number], invec, inoutvec, len, datatype);
}

SHIM_EXPORT MPI_Comm_errhandler_function *ampi_cxx_comm_handler(ampi_cxx_function *fn, ampi_cxx_comm_caller *caller)
{
    comm_caller = caller;
    return (MPI_Comm_errhandler_function *)take(&comm_taken, HANDLERS, cxx_comm_entries, fn);
}

void cxx_comm_call(MPI_Comm *comm, int *error_code, int number)
{
    comm_caller(comm_taken[number], comm, error_code);
}

SHIM_EXPORT MPI_Win_errhandler_function *ampi_cxx_win_handler(ampi_cxx_function *fn, ampi_cxx_win_caller *caller)
{
    win_caller = caller;
    return (MPI_Win_errhandler_function *)take(&win_taken, HANDLERS, cxx_win_entries, fn);
}

void cxx_win_call(MPI_Win *win, int *error_code, int number)
{
    win_caller(win_taken[number], win, error_code);
}

SHIM_EXPORT MPI_File_errhandler_function *ampi_cxx_file_handler(ampi_cxx_function *fn, ampi_cxx_file_caller *caller)
{
    file_caller = caller;
    return (MPI_File_errhandler_function *)take(&file_taken, HANDLERS, cxx_file_entries, fn);
}

void cxx_file_call(MPI_File *file, int *error_code, int number)
{
    file_caller(file_taken[number], file, error_code);
}
