/* Attributes from Fortran: their functions take references and return an error code at the end, so the
 * runtime is given C functions that find the Fortran ones in a record behind extra_state. */
#include "fortran_cell.h"

#include <stdlib.h>

typedef void f_copy(MPI_Fint *object, MPI_Fint *keyval, MPI_Aint *extra_state, MPI_Aint *in, MPI_Aint *out, MPI_Fint *flag,
                    MPI_Fint *ierror);
typedef void f_delete(MPI_Fint *object, MPI_Fint *keyval, MPI_Aint *value, MPI_Aint *extra_state, MPI_Fint *ierror);

/* One per keyval, never freed: attributes may outlive MPI_COMM_FREE_KEYVAL, and nobody says when the last one dies. */
struct f_keyval {
    f_function *copy;
    f_function *delete;
    MPI_Aint extra_state;
};

/* The predefined functions, for Fortran code that passes or calls them. */
#define PREDEFINED(prefix, word) \
    SHIM_EXPORT void mpi_##prefix##null_copy_fn_(MPI_Fint *object, MPI_Fint *keyval, word *extra_state, word *in, word *out, \
                                                 MPI_Fint *flag, MPI_Fint *ierror) \
    { \
        (void)object, (void)keyval, (void)extra_state, (void)in, (void)out; \
        *flag = 0; \
        *ierror = MPI_SUCCESS; \
    } \
    SHIM_EXPORT void mpi_##prefix##dup_fn_(MPI_Fint *object, MPI_Fint *keyval, word *extra_state, word *in, word *out, \
                                           MPI_Fint *flag, MPI_Fint *ierror) \
    { \
        (void)object, (void)keyval, (void)extra_state; \
        *out = *in; \
        *flag = 1; \
        *ierror = MPI_SUCCESS; \
    } \
    SHIM_EXPORT void mpi_##prefix##null_delete_fn_(MPI_Fint *object, MPI_Fint *keyval, word *value, word *extra_state, \
                                                   MPI_Fint *ierror) \
    { \
        (void)object, (void)keyval, (void)value, (void)extra_state; \
        *ierror = MPI_SUCCESS; \
    }

PREDEFINED(, MPI_Fint)
PREDEFINED(comm_, MPI_Aint)
PREDEFINED(type_, MPI_Aint)
PREDEFINED(win_, MPI_Aint)

static int is_null_copy(f_function *fn)
{
    return fn == (f_function *)mpi_null_copy_fn_ || fn == (f_function *)mpi_comm_null_copy_fn_ ||
           fn == (f_function *)mpi_type_null_copy_fn_ || fn == (f_function *)mpi_win_null_copy_fn_;
}

static int call_copy(const struct f_keyval *k, MPI_Fint object, MPI_Fint keyval, void *in, void *out, int *flag)
{
    MPI_Aint extra_state = k->extra_state, value = f_cell_value(in), copied = 0;
    MPI_Fint copy = 0, ierror = MPI_SUCCESS;

    ((f_copy *)k->copy)(&object, &keyval, &extra_state, &value, &copied, &copy, &ierror);
    *flag = copy != 0;
    return ierror == MPI_SUCCESS && copy ? f_cell_copy(in, copied, out) : ierror;
}

static int call_delete(const struct f_keyval *k, MPI_Fint object, MPI_Fint keyval, void *attribute)
{
    MPI_Aint extra_state = k->extra_state, value = f_cell_value(attribute);
    MPI_Fint ierror = MPI_SUCCESS;

    ((f_delete *)k->delete)(&object, &keyval, &value, &extra_state, &ierror);
    if (ierror == MPI_SUCCESS)
        f_cell_free(attribute);
    return ierror;
}

/* The MPI-1 forms have default INTEGERs. They get the lower halves of wide ones, since programs also pass MPI_COMM_DUP_FN and its
 * kin here. */
static int old_copy(MPI_Comm comm, int keyval, void *record, void *in, void *out, int *flag)
{
    const struct f_keyval *k = record;
    MPI_Fint object = F_INT(comm), copy = 0, ierror = MPI_SUCCESS;
    MPI_Aint extra_state = k->extra_state, value = f_cell_value(in), copied = 0;

    ((f_copy *)k->copy)(&object, &keyval, &extra_state, &value, &copied, &copy, &ierror);
    *flag = copy != 0;
    return ierror == MPI_SUCCESS && copy ? f_cell_copy(in, (MPI_Fint)copied, out) : ierror;
}

static int old_delete(MPI_Comm comm, int keyval, void *attribute, void *record)
{
    return call_delete(record, F_INT(comm), keyval, attribute);
}

static struct f_keyval *keyval_record(f_function *copy, f_function *delete, MPI_Aint extra_state)
{
    struct f_keyval *k = malloc(sizeof *k);

    if (k != NULL)
        *k = (struct f_keyval){copy, delete, extra_state};
    return k;
}

/* Nothing to copy needs no help. The other predefined functions are called like the user's, because values set in Fortran lie
 * in cells, and each copy of an attribute has its own. */
#define PICK_COPY(fn, ours, null) (is_null_copy(fn) ? null : ours)

#define CREATE_KEYVAL(object, Object, type, OBJECT) \
    static int object##_copy(type handle, int keyval, void *record, void *in, void *out, int *flag) \
    { \
        return call_copy(record, F_INT(handle), keyval, in, out, flag); \
    } \
    static int object##_delete(type handle, int keyval, void *attribute, void *record) \
    { \
        return call_delete(record, F_INT(handle), keyval, attribute); \
    } \
    void pmpi_##object##_create_keyval_(f_function *copy, f_function *delete, MPI_Fint *keyval, MPI_Aint *extra_state, \
                                        MPI_Fint *ierror) \
    { \
        F_OPTIONAL(ierror); \
        struct f_keyval *k = keyval_record(copy, delete, *extra_state); \
        if (k == NULL) { \
            *ierror = MPI_ERR_NO_MEM; \
            return; \
        } \
        *ierror = MPI_##Object##_create_keyval( \
            PICK_COPY(copy, object##_copy, MPI_##OBJECT##_NULL_COPY_FN), object##_delete, keyval, k); \
    } \
    F_WEAK(mpi_##object##_create_keyval_); \
    F_F08(mpi_##object##_create_keyval)

CREATE_KEYVAL(comm, Comm, MPI_Comm, COMM);
CREATE_KEYVAL(type, Type, MPI_Datatype, TYPE);
CREATE_KEYVAL(win, Win, MPI_Win, WIN);

void pmpi_keyval_create_(f_function *copy, f_function *delete, MPI_Fint *keyval, MPI_Fint *extra_state, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    struct f_keyval *k = keyval_record(copy, delete, *extra_state);

    if (k == NULL) {
        *ierror = MPI_ERR_NO_MEM;
        return;
    }
    *ierror = MPI_Keyval_create(PICK_COPY(copy, old_copy, MPI_NULL_COPY_FN), old_delete, keyval, k);
}
F_WEAK(mpi_keyval_create_);
F_F08(mpi_keyval_create);

/* In C the value of a predefined attribute is a pointer to it, in Fortran it is the value itself. */
static MPI_Aint attribute_value(MPI_Fint keyval, void *attribute)
{
    switch (keyval) {
    case MPI_TAG_UB:
    case MPI_IO:
    case MPI_HOST:
    case MPI_WTIME_IS_GLOBAL:
    case MPI_APPNUM:
    case MPI_LASTUSEDCODE:
    case MPI_UNIVERSE_SIZE:
    case MPI_WIN_DISP_UNIT:
    case MPI_WIN_CREATE_FLAVOR:
    case MPI_WIN_MODEL:
    case AMPI_MY_WTH:
    case AMPI_MY_PROCESS:
    case AMPI_MY_HOME_WTH:
    case AMPI_NUM_WTHS:
    case AMPI_NUM_PROCESSES:
        return *(int *)attribute;
    case MPI_WIN_SIZE:
        return *(MPI_Aint *)attribute;
    }
    return f_cell_value(attribute);
}

/* Sets a value by means of a cell, which stays when MPI has taken it. */
#define SET_IN_CELL(ierror, value, call) \
    do { \
        void *cell = f_cell_new(value); \
        *(ierror) = cell == NULL ? MPI_ERR_NO_MEM : (call); \
        if (*(ierror) != MPI_SUCCESS) \
            f_cell_free(cell); \
    } while (0)

#define ATTRIBUTES(object, Object, type) \
    void pmpi_##object##_set_attr_(MPI_Fint *handle, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *ierror) \
    { \
        F_OPTIONAL(ierror); \
        SET_IN_CELL(ierror, *value, MPI_##Object##_set_attr(F_HANDLE(type, *handle), *keyval, cell)); \
    } \
    F_WEAK(mpi_##object##_set_attr_); \
    F_F08(mpi_##object##_set_attr); \
    void pmpi_##object##_get_attr_(MPI_Fint *handle, MPI_Fint *keyval, MPI_Aint *value, MPI_Fint *flag, MPI_Fint *ierror) \
    { \
        F_OPTIONAL(ierror); \
        void *attribute = NULL; \
        *flag = 0; \
        *ierror = MPI_##Object##_get_attr(F_HANDLE(type, *handle), *keyval, &attribute, flag); \
        *flag = *flag != 0; \
        if (*ierror == MPI_SUCCESS && *flag) \
            *value = attribute_value(*keyval, attribute); \
    } \
    F_WEAK(mpi_##object##_get_attr_); \
    F_F08(mpi_##object##_get_attr)

ATTRIBUTES(comm, Comm, MPI_Comm);
ATTRIBUTES(type, Type, MPI_Datatype);
ATTRIBUTES(win, Win, MPI_Win);

void pmpi_attr_put_(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    SET_IN_CELL(ierror, *value, MPI_Attr_put(F_HANDLE(MPI_Comm, *comm), *keyval, cell));
}
F_WEAK(mpi_attr_put_);
F_F08(mpi_attr_put);

void pmpi_attr_get_(MPI_Fint *comm, MPI_Fint *keyval, MPI_Fint *value, MPI_Fint *flag, MPI_Fint *ierror)
{
    F_OPTIONAL(ierror);
    void *attribute = NULL;

    *flag = 0;
    *ierror = MPI_Attr_get(F_HANDLE(MPI_Comm, *comm), *keyval, &attribute, flag);
    *flag = *flag != 0;
    if (*ierror == MPI_SUCCESS && *flag)
        *value = (MPI_Fint)attribute_value(*keyval, attribute);
}
F_WEAK(mpi_attr_get_);
F_F08(mpi_attr_get);
