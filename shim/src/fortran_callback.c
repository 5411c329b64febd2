/* Generalized requests and data representations from Fortran: the runtime is given C functions that find
 * the Fortran ones in a record behind extra_state. */
#include "fortran.h"

#include <stdlib.h>

typedef void f_query(MPI_Aint *extra_state, MPI_Fint *status, MPI_Fint *ierror);
typedef void f_free(MPI_Aint *extra_state, MPI_Fint *ierror);
typedef void f_cancel(MPI_Aint *extra_state, MPI_Fint *complete, MPI_Fint *ierror);

struct f_grequest {
    f_query *query;
    f_free *free;
    f_cancel *cancel;
    MPI_Aint extra_state;
    MPI_Aint *variable; /* what the program passed for it */
};

/* Callbacks get the record's extra_state, since the program's variable may be gone; but programs expect a change in it to show in the
 * variable, so it is written there as long as this still has the value from before. */
static void grequest_show(struct f_grequest *g, MPI_Aint before)
{
    if (g->extra_state != before && *g->variable == before)
        *g->variable = g->extra_state;
}

static int grequest_query(void *record, MPI_Status *status)
{
    struct f_grequest *g = record;
    MPI_Aint before = g->extra_state;
    MPI_Fint ierror = MPI_SUCCESS;

    g->query(&g->extra_state, (MPI_Fint *)status, &ierror);
    grequest_show(g, before);
    return ierror;
}

/* The last call for a request: its record goes with it. */
static int grequest_free(void *record)
{
    struct f_grequest *g = record;
    MPI_Aint before = g->extra_state;
    MPI_Fint ierror = MPI_SUCCESS;

    g->free(&g->extra_state, &ierror);
    grequest_show(g, before);
    free(g);
    return ierror;
}

static int grequest_cancel(void *record, int complete)
{
    struct f_grequest *g = record;
    MPI_Aint before = g->extra_state;
    MPI_Fint done = complete != 0, ierror = MPI_SUCCESS;

    g->cancel(&g->extra_state, &done, &ierror);
    grequest_show(g, before);
    return ierror;
}

void pmpi_grequest_start_(f_function *query, f_function *release, f_function *cancel, MPI_Aint *extra_state, MPI_Fint *request,
                          MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    struct f_grequest *g = malloc(sizeof *g);
    MPI_Request started = MPI_REQUEST_NULL;

    if (g == NULL) {
        *ierror = MPI_ERR_NO_MEM;
        return;
    }
    *g = (struct f_grequest){(f_query *)query, (f_free *)release, (f_cancel *)cancel, *extra_state, extra_state};
    *ierror = MPI_Grequest_start(grequest_query, grequest_free, grequest_cancel, g, &started);
    if (*ierror == MPI_SUCCESS)
        *request = F_INT(started);
    else
        free(g);
}
F_WEAK(mpi_grequest_start_);
F_F08(mpi_grequest_start);

typedef void f_conversion(void *userbuf, MPI_Fint *datatype, MPI_Fint *count, void *filebuf, MPI_Offset *position,
                          MPI_Aint *extra_state, MPI_Fint *ierror);
typedef void f_large_conversion(void *userbuf, MPI_Fint *datatype, MPI_Count *count, void *filebuf, MPI_Offset *position,
                                MPI_Aint *extra_state, MPI_Fint *ierror);
typedef void f_extent(MPI_Fint *datatype, MPI_Aint *extent, MPI_Aint *extra_state, MPI_Fint *ierror);

/* Never freed: a data representation lives as long as the program. */
struct f_datarep {
    f_conversion *read;
    f_conversion *write;
    f_extent *extent;
    MPI_Aint extra_state;
};

SHIM_EXPORT void mpi_conversion_fn_null_(void *userbuf, MPI_Fint *datatype, MPI_Fint *count, void *filebuf, MPI_Offset *position,
                                         MPI_Aint *extra_state, MPI_Fint *ierror)
{
    (void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position, (void)extra_state;
    *ierror = MPI_SUCCESS;
}

static int datarep_convert(struct f_datarep *d, f_conversion *convert, void *userbuf, MPI_Datatype datatype, int count,
                           void *filebuf, MPI_Offset position)
{
    MPI_Fint type = F_INT(datatype), ierror = MPI_SUCCESS;

    convert(userbuf, &type, &count, filebuf, &position, &d->extra_state, &ierror);
    return ierror;
}

static int datarep_read(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *record)
{
    struct f_datarep *d = record;

    return datarep_convert(d, d->read, userbuf, datatype, count, filebuf, position);
}

static int datarep_write(void *userbuf, MPI_Datatype datatype, int count, void *filebuf, MPI_Offset position, void *record)
{
    struct f_datarep *d = record;

    return datarep_convert(d, d->write, userbuf, datatype, count, filebuf, position);
}

static int datarep_extent(MPI_Datatype datatype, MPI_Aint *extent, void *record)
{
    struct f_datarep *d = record;
    MPI_Fint type = F_INT(datatype), ierror = MPI_SUCCESS;

    d->extent(&type, extent, &d->extra_state, &ierror);
    return ierror;
}

void pmpi_register_datarep_(const char *datarep, f_function *read, f_function *write, f_function *extent, MPI_Aint *extra_state,
                            MPI_Fint *ierror, size_t datarep_len)
{
    F_OPTIONAL(ierror);
    char name[datarep_len + 1];
    struct f_datarep *d = malloc(sizeof *d);
    f_function *none = (f_function *)mpi_conversion_fn_null_;

    if (d == NULL) {
        *ierror = MPI_ERR_NO_MEM;
        return;
    }
    f_text_in(name, datarep, datarep_len);
    *d = (struct f_datarep){(f_conversion *)read, (f_conversion *)write, (f_extent *)extent, *extra_state};
    *ierror = MPI_Register_datarep(name, read == none ? MPI_CONVERSION_FN_NULL : datarep_read,
                                   write == none ? MPI_CONVERSION_FN_NULL : datarep_write, datarep_extent, d);
    if (*ierror != MPI_SUCCESS)
        free(d);
}
F_WEAK(mpi_register_datarep_);
F_F08(mpi_register_datarep);

/* The form with large counts, which only the mpi_f08 module has. */
struct f_large_datarep {
    struct f_datarep common; /* its conversions are not used */
    f_large_conversion *read;
    f_large_conversion *write;
};

SHIM_EXPORT void mpi_conversion_fn_null_c_(void *userbuf, MPI_Fint *datatype, MPI_Count *count, void *filebuf, MPI_Offset *position,
                                           MPI_Aint *extra_state, MPI_Fint *ierror)
{
    (void)userbuf, (void)datatype, (void)count, (void)filebuf, (void)position, (void)extra_state;
    *ierror = MPI_SUCCESS;
}

static int large_convert(struct f_large_datarep *d, f_large_conversion *convert, void *userbuf, MPI_Datatype datatype, MPI_Count count,
                         void *filebuf, MPI_Offset position)
{
    MPI_Fint type = F_INT(datatype), ierror = MPI_SUCCESS;

    convert(userbuf, &type, &count, filebuf, &position, &d->common.extra_state, &ierror);
    return ierror;
}

static int large_read(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position, void *record)
{
    struct f_large_datarep *d = record;

    return large_convert(d, d->read, userbuf, datatype, count, filebuf, position);
}

static int large_write(void *userbuf, MPI_Datatype datatype, MPI_Count count, void *filebuf, MPI_Offset position, void *record)
{
    struct f_large_datarep *d = record;

    return large_convert(d, d->write, userbuf, datatype, count, filebuf, position);
}

void pmpi_register_datarep_c_f08_(const char *datarep, f_function *read, f_function *write, f_function *extent, MPI_Aint *extra_state,
                                  MPI_Fint *ierror, size_t datarep_len)
{
    F_OPTIONAL(ierror);
    char name[datarep_len + 1];
    struct f_large_datarep *d = malloc(sizeof *d);
    f_function *none = (f_function *)mpi_conversion_fn_null_c_;

    if (d == NULL) {
        *ierror = MPI_ERR_NO_MEM;
        return;
    }
    f_text_in(name, datarep, datarep_len);
    *d = (struct f_large_datarep){{.extent = (f_extent *)extent, .extra_state = *extra_state},
                                  (f_large_conversion *)read, (f_large_conversion *)write};
    *ierror = MPI_Register_datarep_c(name, read == none ? MPI_CONVERSION_FN_NULL_C : large_read,
                                     write == none ? MPI_CONVERSION_FN_NULL_C : large_write, datarep_extent, d);
    if (*ierror != MPI_SUCCESS)
        free(d);
}
F_WEAK(mpi_register_datarep_c_f08_);
