/* Error handlers of the C++ bindings. ERRORS_THROW_EXCEPTIONS does not throw: between the handler and the
 * program lie frames of the runtime. It leaves the error code for the C++ function that called MPI, which throws it. */
#include "cxx.h"

SHIM_EXPORT int ampi_cxx_pending;

static const char throwing;

SHIM_EXPORT const MPI_Errhandler ampi_cxx_ERRORS_THROW_EXCEPTIONS = (MPI_Errhandler)&throwing;

static MPI_Errhandler throwing_comm = MPI_ERRHANDLER_NULL;
static MPI_Errhandler throwing_win = MPI_ERRHANDLER_NULL;
static MPI_Errhandler throwing_file = MPI_ERRHANDLER_NULL;

static void throw_comm(MPI_Comm *comm, int *error_code, ...)
{
    (void)comm;
    ampi_cxx_pending = *error_code;
}

static void throw_win(MPI_Win *win, int *error_code, ...)
{
    (void)win;
    ampi_cxx_pending = *error_code;
}

static void throw_file(MPI_File *file, int *error_code, ...)
{
    (void)file;
    ampi_cxx_pending = *error_code;
}

SHIM_EXPORT int ampi_cxx_is_throwing(MPI_Errhandler h)
{
    return h == ampi_cxx_ERRORS_THROW_EXCEPTIONS;
}

SHIM_EXPORT MPI_Errhandler ampi_cxx_comm_errhandler(MPI_Errhandler h)
{
    if (!ampi_cxx_is_throwing(h))
        return h;
    if (throwing_comm == MPI_ERRHANDLER_NULL)
        MPI_Comm_create_errhandler(throw_comm, &throwing_comm);
    return throwing_comm;
}

SHIM_EXPORT MPI_Errhandler ampi_cxx_win_errhandler(MPI_Errhandler h)
{
    if (!ampi_cxx_is_throwing(h))
        return h;
    if (throwing_win == MPI_ERRHANDLER_NULL)
        MPI_Win_create_errhandler(throw_win, &throwing_win);
    return throwing_win;
}

SHIM_EXPORT MPI_Errhandler ampi_cxx_file_errhandler(MPI_Errhandler h)
{
    if (!ampi_cxx_is_throwing(h))
        return h;
    if (throwing_file == MPI_ERRHANDLER_NULL)
        MPI_File_create_errhandler(throw_file, &throwing_file);
    return throwing_file;
}

/* The handle was counted for the caller, who gets an object that needs no free. */
SHIM_EXPORT MPI_Errhandler ampi_cxx_errhandler(MPI_Errhandler h)
{
    if (h == MPI_ERRHANDLER_NULL || (h != throwing_comm && h != throwing_win && h != throwing_file))
        return h;
    MPI_Errhandler_free(&h);
    return ampi_cxx_ERRORS_THROW_EXCEPTIONS;
}
