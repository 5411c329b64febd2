/* A runtime that writes down how it was called, for the tests of the Fortran bindings. Every slot that
 * no test uses ends the program by name. */
#include "mpi.h"
#include "table.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int ampi_shim_unpack(const struct ampi_shim_table *t);
const char *ampi_shim_error(void);

static struct ampi_shim_table table;

static void unexpected(void)
{
    puts("a function that no test uses was called");
    exit(3);
}

static void status_fill(MPI_Status *status, int source, int tag)
{
    if (status == MPI_STATUS_IGNORE)
        return;
    status->MPI_SOURCE = source;
    status->MPI_TAG = tag;
    status->MPI_ERROR = MPI_SUCCESS;
}

static long number(const void *handle) { return (long)(intptr_t)handle; }

static int r_init(int *argc, char ***argv)
{
    printf("init %d %d\n", argc == NULL, argv == NULL);
    return MPI_SUCCESS;
}

static int r_send(const void *buf, int count, MPI_Datatype type, int dest, int tag, MPI_Comm comm)
{
    printf("send %g %d %lx %d %d %lx\n", *(const double *)buf, count, number(type), dest, tag, number(comm));
    return MPI_SUCCESS;
}

static int r_recv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Status *status)
{
    (void)buf, (void)type, (void)comm;
    printf("recv %d %d %d ignore=%d\n", count, source, tag, status == MPI_STATUS_IGNORE);
    status_fill(status, 7, 8);
    return MPI_SUCCESS;
}

static int r_irecv(void *buf, int count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request *request)
{
    (void)buf, (void)count, (void)type, (void)source, (void)comm;
    *request = (MPI_Request)(intptr_t)(0x1000 + tag);
    return MPI_SUCCESS;
}

static int r_waitany(int count, MPI_Request requests[], int *index, MPI_Status *status)
{
    printf("waitany %d:", count);
    for (int i = 0; i < count; i++)
        printf(" %lx", number(requests[i]));
    printf("\n");
    *index = MPI_UNDEFINED;
    for (int i = 0; i < count && *index == MPI_UNDEFINED; i++)
        if (requests[i] != MPI_REQUEST_NULL)
            *index = i;
    if (*index != MPI_UNDEFINED)
        requests[*index] = MPI_REQUEST_NULL;
    status_fill(status, 1, 2);
    return MPI_SUCCESS;
}

static int r_waitsome(int count, MPI_Request requests[], int *done, int indices[], MPI_Status *statuses)
{
    printf("waitsome %d ignore=%d\n", count, statuses == MPI_STATUSES_IGNORE);
    *done = count < 2 ? MPI_UNDEFINED : 2;
    if (count < 2)
        return MPI_SUCCESS;
    indices[0] = 0;
    indices[1] = count - 1;
    requests[0] = requests[count - 1] = MPI_REQUEST_NULL;
    for (int i = 0; i < 2 && statuses != MPI_STATUSES_IGNORE; i++)
        status_fill(&statuses[i], 10 + i, 20 + i);
    return MPI_SUCCESS;
}

static int r_testany(int count, MPI_Request requests[], int *index, int *flag, MPI_Status *status)
{
    (void)count, (void)requests, (void)status;
    *index = MPI_UNDEFINED;
    *flag = 0;
    return MPI_SUCCESS;
}

static int r_waitall(int count, MPI_Request requests[], MPI_Status *statuses)
{
    long sum = 0;

    for (int i = 0; i < count; i++) {
        sum += number(requests[i]);
        requests[i] = MPI_REQUEST_NULL;
    }
    printf("waitall %d sum=%ld ignore=%d\n", count, sum, statuses == MPI_STATUSES_IGNORE);
    return MPI_SUCCESS;
}

static int r_allreduce(const void *sendbuf, void *recvbuf, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
    (void)recvbuf, (void)count, (void)type, (void)comm;
    printf("allreduce in_place=%d op=%lx\n", sendbuf == MPI_IN_PLACE, number(op));
    return MPI_SUCCESS;
}

static int r_processor_name(char *name, int *len)
{
    strcpy(name, "node7");
    *len = 5;
    return MPI_SUCCESS;
}

static int r_info_set(MPI_Info info, const char *key, const char *value)
{
    printf("info_set %lx [%s] [%s]\n", number(info), key, value);
    return MPI_SUCCESS;
}

static int r_info_get_string(MPI_Info info, const char *key, int *buflen, char *value, int *flag)
{
    (void)info;
    *flag = 5; /* any non-zero value is true in C */
    if (strcmp(key, "none") == 0)
        *flag = 0;
    printf("info_get_string [%s] %d\n", key, *buflen);
    if (*buflen > 0)
        snprintf(value, (size_t)*buflen, "value");
    *buflen = 6;
    return MPI_SUCCESS;
}

static MPI_Comm_copy_attr_function *copy_fn;
static MPI_Comm_delete_attr_function *delete_fn;
static void *copy_state, *attribute;

static int r_create_keyval(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *keyval, void *state)
{
    printf("create_keyval null_copy=%d dup=%d null_delete=%d\n", copy == MPI_COMM_NULL_COPY_FN, copy == MPI_COMM_DUP_FN,
           delete == MPI_COMM_NULL_DELETE_FN);
    copy_fn = copy;
    delete_fn = delete;
    copy_state = state;
    *keyval = 1000;
    return MPI_SUCCESS;
}

static int default_integers; /* the keyval is of MPI-1, whose attributes cannot hold an address of C */

static int r_keyval_create(MPI_Comm_copy_attr_function *copy, MPI_Comm_delete_attr_function *delete, int *keyval, void *state)
{
    default_integers = 1;
    return r_create_keyval(copy, delete, keyval, state);
}

/* In C the attribute is a pointer to what Fortran has set. */
static int r_set_attr(MPI_Comm comm, int keyval, void *value)
{
    printf("set_attr %lx %d %ld\n", number(comm), keyval, (long)*(MPI_Aint *)value);
    attribute = value;
    return MPI_SUCCESS;
}

static int tag_ub = 32767;
static int c_value;

enum { C_KEYVAL = 1001 }; /* of an attribute that C has set */

static int r_get_attr(MPI_Comm comm, int keyval, void *value, int *flag)
{
    (void)comm;
    *flag = 1;
    *(void **)value = keyval == MPI_TAG_UB ? (void *)&tag_ub : keyval == C_KEYVAL ? (void *)&c_value : attribute;
    return MPI_SUCCESS;
}

static int r_comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
    void *copied = NULL;
    int flag = 0;
    int err = copy_fn(comm, 1000, copy_state, attribute, &copied, &flag);

    printf("copied %ld own=%d flag=%d err=%d\n", (long)*(MPI_Aint *)copied, copied != attribute, flag, err);
    if (!default_integers && copy_fn(comm, C_KEYVAL, copy_state, &c_value, &copied, &flag) == MPI_SUCCESS)
        printf("copied from C %ld\n", (long)((char *)copied - (char *)&c_value));
    *newcomm = (MPI_Comm)(intptr_t)0x2345;
    return err;
}

static int r_comm_free(MPI_Comm *comm)
{
    printf("comm_free %lx delete=%d\n", number(*comm), delete_fn(*comm, 1000, attribute, copy_state));
    *comm = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

static MPI_User_function *user_fn;

static int r_op_create(MPI_User_function *fn, int commute, MPI_Op *op)
{
    printf("op_create commute=%d\n", commute);
    user_fn = fn;
    *op = (MPI_Op)(intptr_t)0x3456;
    return MPI_SUCCESS;
}

static int r_reduce_local(const void *in, void *inout, int count, MPI_Datatype type, MPI_Op op)
{
    (void)op;
    user_fn((void *)(uintptr_t)in, inout, &count, &type);
    return MPI_SUCCESS;
}

static int r_cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *cart)
{
    (void)comm;
    printf("cart_create %d: %d %d / %d %d reorder=%d\n", ndims, dims[0], dims[1], periods[0], periods[1], reorder);
    *cart = (MPI_Comm)(intptr_t)0x4567;
    return MPI_SUCCESS;
}

static int r_spawn(const char *command, char *argv[], int maxprocs, MPI_Info info, int root, MPI_Comm comm, MPI_Comm *inter,
                   int errcodes[])
{
    (void)info, (void)root, (void)comm;
    printf("spawn [%s] %d errcodes_ignore=%d:", command, maxprocs, errcodes == MPI_ERRCODES_IGNORE);
    for (char **a = argv; a != MPI_ARGV_NULL && *a != NULL; a++)
        printf(" [%s]", *a);
    printf("%s\n", argv == MPI_ARGV_NULL ? " argv_null" : "");
    *inter = (MPI_Comm)(intptr_t)0x5678;
    return MPI_SUCCESS;
}

static int r_spawn_multiple(int count, char *commands[], char **argvs[], const int maxprocs[], const MPI_Info infos[], int root,
                            MPI_Comm comm, MPI_Comm *inter, int errcodes[])
{
    (void)root, (void)comm, (void)errcodes;
    for (int i = 0; i < count; i++) {
        printf("spawn_multiple [%s] %d %lx:", commands[i], maxprocs[i], number(infos[i]));
        for (char **a = argvs[i]; *a != NULL; a++)
            printf(" [%s]", *a);
        printf("\n");
    }
    *inter = (MPI_Comm)(intptr_t)0x5679;
    return MPI_SUCCESS;
}

static int r_dist_graph(MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree,
                        const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *graph)
{
    (void)comm, (void)indegree, (void)sources, (void)outdegree, (void)destinations, (void)info, (void)reorder;
    printf("dist_graph unweighted=%d empty=%d\n", sourceweights == MPI_UNWEIGHTED, destweights == MPI_WEIGHTS_EMPTY);
    *graph = (MPI_Comm)(intptr_t)0x6789;
    return MPI_SUCCESS;
}

static int r_grequest_start(MPI_Grequest_query_function *query, MPI_Grequest_free_function *release,
                            MPI_Grequest_cancel_function *cancel, void *state, MPI_Request *request)
{
    MPI_Status status = {0};
    int q = query(state, &status), c = cancel(state, 1), f = release(state);

    printf("grequest query=%d source=%d cancel=%d free=%d\n", q, status.MPI_SOURCE, c, f);
    *request = (MPI_Request)(intptr_t)0x1999;
    return MPI_SUCCESS;
}

static int r_comm_size(MPI_Comm comm, int *size)
{
    (void)comm;
    *size = 3;
    return MPI_SUCCESS;
}

static int r_test_inter(MPI_Comm comm, int *flag)
{
    (void)comm;
    *flag = 0;
    return MPI_SUCCESS;
}

static int r_alltoallw(const void *sendbuf, const int scounts[], const int sdispls[], const MPI_Datatype stypes[], void *recvbuf,
                       const int rcounts[], const int rdispls[], const MPI_Datatype rtypes[], MPI_Comm comm)
{
    (void)sendbuf, (void)scounts, (void)sdispls, (void)recvbuf, (void)rcounts, (void)rdispls, (void)comm;
    printf("alltoallw %lx %lx %lx / %lx %lx %lx\n", number(stypes[0]), number(stypes[1]), number(stypes[2]), number(rtypes[0]),
           number(rtypes[1]), number(rtypes[2]));
    return MPI_SUCCESS;
}

static int r_get_address(const void *location, MPI_Aint *address)
{
    *address = (MPI_Aint)location;
    return MPI_SUCCESS;
}

static int r_type_create_struct(int count, const int lengths[], const MPI_Aint displs[], const MPI_Datatype types[],
                                MPI_Datatype *newtype)
{
    printf("struct %d:", count);
    for (int i = 0; i < count; i++)
        printf(" %d@%ld=%lx", lengths[i], (long)displs[i], number(types[i]));
    printf("\n");
    *newtype = (MPI_Datatype)(intptr_t)0x7000;
    return MPI_SUCCESS;
}

static int r_type_get_extent(MPI_Datatype type, MPI_Aint *lb, MPI_Aint *extent)
{
    (void)type;
    *lb = 4;
    *extent = 20;
    return MPI_SUCCESS;
}

static int r_type_free(MPI_Datatype *type)
{
    printf("type_free %lx\n", number(*type));
    *type = MPI_DATATYPE_NULL;
    return MPI_SUCCESS;
}

static int r_get_count(const MPI_Status *status, MPI_Datatype type, int *count)
{
    (void)type;
    *count = status->MPI_TAG;
    return MPI_SUCCESS;
}

static int r_alloc_mem(MPI_Aint size, MPI_Info info, void *baseptr)
{
    static double memory[4];

    (void)info;
    printf("alloc_mem %ld\n", (long)size);
    *(void **)baseptr = memory;
    return MPI_SUCCESS;
}

static int r_buffer_detach(void *buffer_addr, int *size)
{
    *(void **)buffer_addr = NULL;
    *size = 99;
    return MPI_SUCCESS;
}

static int r_type_get_contents(MPI_Datatype type, int nints, int naddrs, int ntypes, int ints[], MPI_Aint addrs[],
                               MPI_Datatype types[])
{
    (void)type, (void)nints, (void)naddrs, (void)ints, (void)addrs;
    types[0] = MPI_DOUBLE;
    types[1] = MPI_INT;
    printf("contents %d\n", ntypes);
    return MPI_SUCCESS;
}

static int r_pcontrol(const int level, ...)
{
    printf("pcontrol %d\n", level);
    return MPI_SUCCESS;
}

static double r_wtime(void) { return 1.5; }
static MPI_Aint r_aint_add(MPI_Aint base, MPI_Aint disp) { return base + disp; }

#define SERVE(name, function) table.fn[AMPI_FN_MPI_##name] = (void *)(function)

static void serve_all(void)
{
    SERVE(Init, r_init), SERVE(Send, r_send), SERVE(Recv, r_recv), SERVE(Irecv, r_irecv), SERVE(Waitany, r_waitany);
    SERVE(Waitsome, r_waitsome), SERVE(Testany, r_testany), SERVE(Waitall, r_waitall), SERVE(Allreduce, r_allreduce);
    SERVE(Get_processor_name, r_processor_name), SERVE(Info_set, r_info_set), SERVE(Info_get_string, r_info_get_string);
    SERVE(Comm_create_keyval, r_create_keyval), SERVE(Comm_set_attr, r_set_attr), SERVE(Comm_get_attr, r_get_attr);
    SERVE(Keyval_create, r_keyval_create), SERVE(Attr_put, r_set_attr), SERVE(Attr_get, r_get_attr);
    SERVE(Comm_dup, r_comm_dup), SERVE(Comm_free, r_comm_free), SERVE(Op_create, r_op_create);
    SERVE(Reduce_local, r_reduce_local), SERVE(Cart_create, r_cart_create), SERVE(Comm_spawn, r_spawn);
    SERVE(Comm_spawn_multiple, r_spawn_multiple), SERVE(Dist_graph_create_adjacent, r_dist_graph);
    SERVE(Grequest_start, r_grequest_start), SERVE(Comm_size, r_comm_size), SERVE(Comm_test_inter, r_test_inter);
    SERVE(Alltoallw, r_alltoallw), SERVE(Get_address, r_get_address), SERVE(Type_create_struct, r_type_create_struct);
    SERVE(Type_get_extent, r_type_get_extent), SERVE(Type_free, r_type_free), SERVE(Get_count, r_get_count), SERVE(Alloc_mem, r_alloc_mem);
    SERVE(Buffer_detach, r_buffer_detach), SERVE(Type_get_contents, r_type_get_contents), SERVE(Pcontrol, r_pcontrol);
    SERVE(Wtime, r_wtime), SERVE(Aint_add, r_aint_add);
}

__attribute__((constructor)) static void table_give(void)
{
    setvbuf(stdout, NULL, _IONBF, 0);
    memcpy(table.magic, AMPI_SHIM_MAGIC, sizeof table.magic);
    table.version = AMPI_SHIM_VERSION;
    table.count = AMPI_FN_COUNT;
    table.size = sizeof table;
    table.hash = AMPI_SHIM_HASH;
    for (int i = 0; i < AMPI_FN_COUNT; i++)
        table.fn[i] = (void *)unexpected;
    serve_all();
    if (ampi_shim_unpack(&table) != 0)
        puts(ampi_shim_error());
}
