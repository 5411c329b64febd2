/* Calls that Go serves. */
#ifndef AMPI_SERVE_H
#define AMPI_SERVE_H

#include <stdint.h>

/* Rank stack. Hand function fn (AMPI_FN_ of table.h, or enum ampi_internal) with its n arguments, widened to 64 bits, to
 * Go; raises the error that Go found, returns the MPI error class or the value. Does not let other ranks run. */
int64_t ampi_serve(int fn, uint64_t *args, int n);

/* The same, but what is wrong is only returned, as a class; vr_context->call.text says it. */
int ampi_serve_class(int fn, uint64_t *args, int n);
/* The same on behalf of another function, which errors name. */
int64_t ampi_serve_as(int name, int fn, uint64_t *args, int n);

struct ampi_shim_table;

/* Rank stack. Raise MPI_ERR_ARG on a communicator (handle; 0: on none): an argument that must point somewhere is NULL. */
int ampi_null_argument(int fn, uint64_t comm, const char *name);

/* Rank stack. Raise MPI_ERR_INFO unless info is an info object or MPI_INFO_NULL. */
int ampi_check_info(int fn, uint64_t comm, MPI_Info info);

/* The function table for programs: core functions where the C core has them, stubs to Go elsewhere. */
const struct ampi_shim_table *ampi_table(void);

/* The same with a look at the calling thread before each call, for programs that have several. */
const struct ampi_shim_table *ampi_table_guarded(void);

/* MPI_Abort in a thread that the rank has started. */
void ampi_thread_abort(int code) __attribute__((noreturn));

/* 1 when the C core has this function. Any thread. */
int ampi_core_serves(int fn);

#endif
