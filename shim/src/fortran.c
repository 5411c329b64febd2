/* Conversions of single arguments between Fortran and C. */
#include "fortran.h"

#include <stdlib.h>
#include <string.h>

/* Aligned as compilers align common blocks, which these take the place of. */
#define COMMON_BLOCK SHIM_EXPORT __attribute__((aligned(32)))

COMMON_BLOCK MPI_Fint ampi_f_bottom_, ampi_f_in_place_, ampi_f_buffer_automatic_;
COMMON_BLOCK MPI_Fint ampi_f_status_ignore_[8], ampi_f_statuses_ignore_[8], ampi_f_errcodes_ignore_[1];
COMMON_BLOCK MPI_Fint ampi_f_unweighted_[1], ampi_f_weights_empty_[1];
COMMON_BLOCK char ampi_f_argv_null_[1], ampi_f_argvs_null_[1];

MPI_Fint *const MPI_F_STATUS_IGNORE = ampi_f_status_ignore_;
MPI_Fint *const MPI_F_STATUSES_IGNORE = ampi_f_statuses_ignore_;
MPI_F08_status *const MPI_F08_STATUS_IGNORE = (MPI_F08_status *)ampi_f_status_ignore_;
MPI_F08_status *const MPI_F08_STATUSES_IGNORE = (MPI_F08_status *)ampi_f_statuses_ignore_;

void *f_buffer(void *buf)
{
    if (buf == &ampi_f_bottom_)
        return MPI_BOTTOM;
    if (buf == &ampi_f_in_place_)
        return MPI_IN_PLACE;
    if (buf == &ampi_f_buffer_automatic_)
        return MPI_BUFFER_AUTOMATIC;
    return buf;
}

/* mpif.h lets both names stand for each other: a program that mixes them up has always worked. */
static int ignored(const MPI_Fint *status)
{
    return status == ampi_f_status_ignore_ || status == ampi_f_statuses_ignore_;
}

MPI_Status *f_status(MPI_Fint *status)
{
    return ignored(status) ? MPI_STATUS_IGNORE : (MPI_Status *)status;
}

MPI_Status *f_statuses(MPI_Fint *statuses)
{
    return ignored(statuses) ? MPI_STATUSES_IGNORE : (MPI_Status *)statuses;
}

MPI_Fint *f_weights(MPI_Fint *weights)
{
    if (weights == ampi_f_unweighted_)
        return MPI_UNWEIGHTED;
    if (weights == ampi_f_weights_empty_)
        return MPI_WEIGHTS_EMPTY;
    return weights;
}

MPI_Fint *f_errcodes(MPI_Fint *errcodes)
{
    return errcodes == ampi_f_errcodes_ignore_ ? MPI_ERRCODES_IGNORE : errcodes;
}

void f_text_in(char *to, const char *from, size_t n)
{
    while (n > 0 && from[n - 1] == ' ')
        n--;
    memcpy(to, from, n);
    to[n] = '\0';
}

void f_key_in(char *to, const char *from, size_t n)
{
    while (n > 0 && *from == ' ') {
        from++;
        n--;
    }
    f_text_in(to, from, n);
}

void f_text_out(char *to, size_t n, const char *from)
{
    size_t have = strlen(from);
    size_t copied = have < n ? have : n;

    memcpy(to, from, copied);
    memset(to + copied, ' ', n - copied);
}

void *f_handles_load(struct f_handles *h, const MPI_Fint *from, MPI_Fint n)
{
    size_t few = sizeof h->few / sizeof h->few[0];

    h->n = n < 0 ? 0 : n;
    h->all = h->few;
    if ((size_t)h->n > few)
        h->all = malloc((size_t)h->n * sizeof *h->all);
    if (h->all == NULL)
        return NULL;
    for (MPI_Fint i = 0; i < h->n; i++)
        h->all[i] = F_HANDLE(void *, from[i]);
    return h->all;
}

void f_handles_store(const struct f_handles *h, MPI_Fint *to)
{
    for (MPI_Fint i = 0; i < h->n; i++)
        to[i] = F_INT(h->all[i]);
}

void f_handles_free(struct f_handles *h)
{
    if (h->all != h->few)
        free(h->all);
}

/* These ask the runtime; where that fails the array is taken as empty, and the call itself reports the bad communicator. */
MPI_Fint f_peers(MPI_Fint comm)
{
    MPI_Comm c = F_HANDLE(MPI_Comm, comm);
    int inter = 0, n = 0, err;

    err = PMPI_Comm_test_inter(c, &inter);
    if (err == MPI_SUCCESS)
        err = inter ? PMPI_Comm_remote_size(c, &n) : PMPI_Comm_size(c, &n);
    return err == MPI_SUCCESS ? n : 0;
}

/* Neighbours of this process in a topology of any kind, in each direction. */
static void neighbours(MPI_Comm comm, int *sources, int *destinations)
{
    int kind = MPI_UNDEFINED, n = 0, rank = 0, weighted;

    *sources = *destinations = 0;
    if (PMPI_Topo_test(comm, &kind) != MPI_SUCCESS)
        return;
    if (kind == MPI_DIST_GRAPH) {
        PMPI_Dist_graph_neighbors_count(comm, sources, destinations, &weighted);
        return;
    }
    if (kind == MPI_CART && PMPI_Cartdim_get(comm, &n) == MPI_SUCCESS)
        n *= 2;
    if (kind == MPI_GRAPH && PMPI_Comm_rank(comm, &rank) == MPI_SUCCESS)
        PMPI_Graph_neighbors_count(comm, rank, &n);
    *sources = *destinations = n;
}

MPI_Fint f_sources(MPI_Fint comm)
{
    int sources, destinations;

    neighbours(F_HANDLE(MPI_Comm, comm), &sources, &destinations);
    return sources;
}

MPI_Fint f_destinations(MPI_Fint comm)
{
    int sources, destinations;

    neighbours(F_HANDLE(MPI_Comm, comm), &sources, &destinations);
    return destinations;
}

void f_indices_out(MPI_Fint *indices, MPI_Fint n)
{
    for (MPI_Fint i = 0; i < n; i++)
        if (indices[i] != MPI_UNDEFINED)
            indices[i]++;
}
