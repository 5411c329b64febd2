/* Error handlers, the same for every kind of object (MPI 5.0 section 9.3). Rank stack. */
#ifndef AMPI_ERRHANDLER_H
#define AMPI_ERRHANDLER_H

#include "ampi/ampi.h"

/* What an error is raised on: an object's error handler and the handle that the handler is called with. */
struct ampi_culprit {
	enum ampi_kind kind; /* AMPI_COMM, AMPI_WIN, AMPI_FILE or AMPI_SESSION */
	uint64_t object; /* handle */
	uint64_t errhandler; /* handle */
};

/* Where errors of no object are raised, for the check of a handler of a kind. */
struct ampi_culprit ampi_culprit_none(enum ampi_kind kind);

/* Make an error handler for objects of one kind; errors are raised on MPI_COMM_SELF. May be called before MPI_Init. */
int ampi_errhandler_create(int fn, enum ampi_kind kind, void *function, MPI_Errhandler *out);

/* Raise MPI_ERR_ERRHANDLER on `at` when h is not a handler, or one for objects of another kind than at->kind. */
int ampi_errhandler_check(const struct ampi_culprit *at, int fn, MPI_Errhandler h);

/* Make h the handler of the object that `at` is about; *place is where the object keeps its handler. */
int ampi_errhandler_set(const struct ampi_culprit *at, int fn, uint64_t *place, MPI_Errhandler h);

/* Another reference of the program to the handler in *place, which it frees like any other. */
int ampi_errhandler_get(uint64_t place, MPI_Errhandler *out);

/* Raise error class or code `code` on an object of any kind, see ampi_raise. */
int ampi_raise_on(const struct ampi_culprit *at, int code, int fn, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* Raise MPI_ERR_INFO unless info is an info object or MPI_INFO_NULL. */
int ampi_check_info_on(const struct ampi_culprit *at, int fn, MPI_Info info);

/* What MPI_X_call_errhandler does: MPI_SUCCESS when the handler returns. */
int ampi_errhandler_call(const struct ampi_culprit *at, int code, int fn);

#endif
