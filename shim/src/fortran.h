/* What the Fortran bindings share: handles, strings and the variables that MPI knows by address. */
#ifndef AMPI_SHIM_FORTRAN_H
#define AMPI_SHIM_FORTRAN_H

#include "shim.h"

#include <stddef.h>

/* A Fortran handle has the value of the C handle. */
#define F_HANDLE(type, value) ((type)(intptr_t)(value))
#define F_INT(handle) ((MPI_Fint)(intptr_t)(handle))

/* name as a weak alias of pname, as MPI_X is of PMPI_X. */
#define F_WEAK(name) extern __typeof(p##name) name __attribute__((weak, alias("p" #name)))

/* The form of name with a TYPE(C_PTR) result, which is an address by reference as well. */
#define F_CPTR(name) \
    extern __typeof(p##name##_) p##name##_cptr_ __attribute__((alias("p" #name "_"))); \
    extern __typeof(p##name##_) name##_cptr_ __attribute__((weak, alias("p" #name "_")))

/* The mpi_f08 module's specific procedure for name, where nothing in the arguments differs from mpif.h: handles and statuses are
 * derived types of integers, callbacks take the same references, and a missing IERROR is a null pointer. */
#define F_F08(name) \
    extern __typeof(p##name##_) p##name##_f08_ __attribute__((alias("p" #name "_"))); \
    extern __typeof(p##name##_) name##_f08_ __attribute__((weak, alias("p" #name "_")))

/* Stands for an IERROR that the program has left out. */
#define F_OPTIONAL(ierror) \
    MPI_Fint no_##ierror; \
    if (ierror == NULL) \
        ierror = &no_##ierror

/* A procedure argument: its type is known only to the binding that calls it. */
typedef void f_function(void);

/* Common blocks of mpif.h and of the mpi module. */
extern MPI_Fint ampi_f_bottom_, ampi_f_in_place_, ampi_f_buffer_automatic_;
extern MPI_Fint ampi_f_status_ignore_[8], ampi_f_statuses_ignore_[8], ampi_f_errcodes_ignore_[1];
extern MPI_Fint ampi_f_unweighted_[1], ampi_f_weights_empty_[1];
extern char ampi_f_argv_null_[1], ampi_f_argvs_null_[1];

/* Each returns what C expects where Fortran passed one of the variables above, else its argument. */
SHIM_HIDDEN void *f_buffer(void *buf);
SHIM_HIDDEN MPI_Status *f_status(MPI_Fint *status);
SHIM_HIDDEN MPI_Status *f_statuses(MPI_Fint *statuses);
SHIM_HIDDEN MPI_Fint *f_weights(MPI_Fint *weights);
SHIM_HIDDEN MPI_Fint *f_errcodes(MPI_Fint *errcodes);

/* Copies a blank-padded string of n characters without the blanks at its end; to has room for n + 1. */
SHIM_HIDDEN void f_text_in(char *to, const char *from, size_t n);

/* As f_text_in, and without the blanks at the start: the rule for the keys and values of an info. */
SHIM_HIDDEN void f_key_in(char *to, const char *from, size_t n);

/* Copies a C string to n characters, cut or padded with blanks. */
SHIM_HIDDEN void f_text_out(char *to, size_t n, const char *from);

/* An array of handles in its C form: the caller's stack for few of them, the heap for more. */
struct f_handles {
    void *few[32];
    void **all;
    MPI_Fint n;
};

/* Widens n Fortran handles; returns the C array, or NULL when there is no memory. */
SHIM_HIDDEN void *f_handles_load(struct f_handles *h, const MPI_Fint *from, MPI_Fint n);
SHIM_HIDDEN void f_handles_store(const struct f_handles *h, MPI_Fint *to);
SHIM_HIDDEN void f_handles_free(struct f_handles *h);

/* Lengths of the type arrays of the w collectives: peers of a communicator, and neighbours of a topology. */
SHIM_HIDDEN MPI_Fint f_peers(MPI_Fint comm);
SHIM_HIDDEN MPI_Fint f_sources(MPI_Fint comm);
SHIM_HIDDEN MPI_Fint f_destinations(MPI_Fint comm);

/* Makes n array positions count from 1; MPI_UNDEFINED, as n or as a position, stays as it is. */
SHIM_HIDDEN void f_indices_out(MPI_Fint *indices, MPI_Fint n);

#endif
