/* What the C++ bindings use of the shim's library, in C. For mpicxx.h only. */
#ifndef AMPI_MPICXX_SUPPORT_H
#define AMPI_MPICXX_SUPPORT_H

#if defined(__cplusplus)
extern "C" {
#endif

/* Any function of the program; it is called only after a cast back to its own type. */
typedef void ampi_cxx_function(void);

/* Call fn, a C++ function, with what MPI passed to a C function. */
typedef void ampi_cxx_op_caller(ampi_cxx_function *fn, void *invec, void *inoutvec, int *len, MPI_Datatype *datatype);
typedef void ampi_cxx_comm_caller(ampi_cxx_function *fn, MPI_Comm *comm, int *error_code);
typedef void ampi_cxx_win_caller(ampi_cxx_function *fn, MPI_Win *win, int *error_code);
typedef void ampi_cxx_file_caller(ampi_cxx_function *fn, MPI_File *file, int *error_code);

/* Return a C function that does caller(fn, its arguments): the same one when asked again for the same fn, NULL when all
 * are taken (256 operations, 64 error handlers of each kind). */
MPI_User_function *ampi_cxx_op(ampi_cxx_function *fn, ampi_cxx_op_caller *caller);
MPI_Comm_errhandler_function *ampi_cxx_comm_handler(ampi_cxx_function *fn, ampi_cxx_comm_caller *caller);
MPI_Win_errhandler_function *ampi_cxx_win_handler(ampi_cxx_function *fn, ampi_cxx_win_caller *caller);
MPI_File_errhandler_function *ampi_cxx_file_handler(ampi_cxx_function *fn, ampi_cxx_file_caller *caller);

/* The C handle of h for objects of one kind: ERRORS_THROW_EXCEPTIONS is three C error handlers, made when first wanted. */
MPI_Errhandler ampi_cxx_comm_errhandler(MPI_Errhandler h);
MPI_Errhandler ampi_cxx_win_errhandler(MPI_Errhandler h);
MPI_Errhandler ampi_cxx_file_errhandler(MPI_Errhandler h);

/* The C++ handle of h, which an MPI_X_get_errhandler returned: the way back. */
MPI_Errhandler ampi_cxx_errhandler(MPI_Errhandler h);

/* Whether h is ERRORS_THROW_EXCEPTIONS as the C++ object holds it. */
int ampi_cxx_is_throwing(MPI_Errhandler h);

/* The error code that the C++ function which called MPI has to throw; 0 for none. Set by error handlers, which must not
 * throw through the runtime's frames. */
extern int ampi_cxx_pending;

#if defined(__cplusplus)
}
#endif

#endif
