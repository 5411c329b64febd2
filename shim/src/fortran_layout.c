/* Datatypes for array sections. MPI lays count elements of a datatype over the section's elements as if these stood one after another;
 * the type made here says where the same bytes are in memory. */
#include "fortran_array.h"

#include <stdlib.h>

/* Calls that build on each other: the first error ends them. Those of the runtime have raised theirs. */
#define TRY(call) \
    do { \
        int err_ = (call); \
        if (err_ != MPI_SUCCESS) \
            return err_; \
    } while (0)

static void type_drop(MPI_Datatype *type)
{
    if (*type != MPI_DATATYPE_NULL)
        PMPI_Type_free(type);
}

/* Two types one after the other, the second at the given place. */
static int join(MPI_Datatype first, MPI_Datatype second, MPI_Count at, MPI_Datatype *made)
{
    MPI_Count lengths[] = {1, 1}, places[] = {0, at};
    MPI_Datatype types[] = {first, second};

    return PMPI_Type_create_struct_c(2, lengths, places, types, made);
}

/* The first n elements of the lower dimensions up to level, each of type unit. */
static int nest(const struct f_shape *s, int level, MPI_Count n, MPI_Datatype unit, MPI_Datatype *made)
{
    MPI_Count inner = 1, stride = s->rank == 0 ? s->length : s->stride[level < 0 ? 0 : level];
    MPI_Datatype row = MPI_DATATYPE_NULL, rest = MPI_DATATYPE_NULL, whole = MPI_DATATYPE_NULL;
    int err;

    if (level <= 0)
        return PMPI_Type_create_hvector_c(n, 1, stride, unit, made);
    for (int i = 0; i < level; i++)
        inner *= s->extent[i];
    TRY(nest(s, level - 1, inner, unit, &row));
    err = PMPI_Type_create_hvector_c(n / inner, 1, stride, row, &whole);
    if (err == MPI_SUCCESS && n % inner != 0) {
        err = nest(s, level - 1, n % inner, unit, &rest);
        if (err == MPI_SUCCESS)
            err = join(whole, rest, n / inner * stride, made);
        type_drop(&whole);
    } else {
        *made = whole;
    }
    type_drop(&row);
    type_drop(&rest);
    return err;
}

/* Where the bytes of a datatype are, one place for each in the order of the type map. */
struct bytes {
    MPI_Count n;
    MPI_Count *at;
};

/* Reads the map off a packed copy of a buffer whose bytes are their own positions, some bits of them at a time. */
static int bytes_read(struct bytes *b, MPI_Datatype type, MPI_Count first, MPI_Count span, unsigned char *buffer, unsigned char *packed)
{
    for (int shift = 0; shift == 0 || span >> shift > 0; shift += 8) {
        MPI_Count position = 0;
        for (MPI_Count i = 0; i < span; i++)
            buffer[i] = (unsigned char)(i >> shift);
        TRY(PMPI_Pack_c(buffer - first, 1, type, packed, b->n, &position, MPI_COMM_SELF));
        for (MPI_Count i = 0; i < b->n; i++)
            b->at[i] |= (MPI_Count)packed[i] << shift;
    }
    for (MPI_Count i = 0; i < b->n; i++)
        b->at[i] += first;
    return MPI_SUCCESS;
}

static int bytes_of(struct bytes *b, MPI_Datatype type)
{
    MPI_Count first, span;
    unsigned char *buffer, *packed;
    int err = MPI_ERR_NO_MEM;

    TRY(PMPI_Type_size_c(type, &b->n));
    TRY(PMPI_Type_get_true_extent_c(type, &first, &span));
    b->at = calloc((size_t)b->n + 1, sizeof *b->at);
    buffer = malloc((size_t)span + 1);
    packed = malloc((size_t)b->n + 1);
    if (b->at != NULL && buffer != NULL && packed != NULL)
        err = bytes_read(b, type, first, span, buffer, packed);
    free(buffer);
    free(packed);
    return err;
}

/* Runs of bytes that lie side by side. */
struct runs {
    MPI_Count n, room;
    MPI_Count *at, *length;
};

static int runs_add(struct runs *r, MPI_Count at)
{
    if (r->n > 0 && r->at[r->n - 1] + r->length[r->n - 1] == at) {
        r->length[r->n - 1]++;
        return MPI_SUCCESS;
    }
    if (r->n == r->room) {
        MPI_Count room = r->room == 0 ? 64 : 2 * r->room;
        MPI_Count *where = realloc(r->at, (size_t)room * sizeof *r->at);
        r->at = where != NULL ? where : r->at;
        MPI_Count *length = realloc(r->length, (size_t)room * sizeof *r->length);
        r->length = length != NULL ? length : r->length;
        if (where == NULL || length == NULL)
            return MPI_ERR_NO_MEM;
        r->room = room;
    }
    r->at[r->n] = at;
    r->length[r->n++] = 1;
    return MPI_SUCCESS;
}

static int runs_fill(struct runs *r, const struct f_shape *s, const struct bytes *b, MPI_Count count, MPI_Count extent)
{
    for (MPI_Count i = 0; i < count; i++) {
        for (MPI_Count j = 0; j < b->n; j++) {
            MPI_Count packed = i * extent + b->at[j];
            if (packed < 0)
                return MPI_ERR_BUFFER;
            TRY(runs_add(r, f_shape_offset(s, packed / s->length) + packed % s->length));
        }
    }
    return MPI_SUCCESS;
}

/* A datatype whose elements do not fit the array's is taken apart into bytes. */
static int scattered(const struct f_shape *s, MPI_Count count, MPI_Datatype type, MPI_Count extent, MPI_Datatype *made)
{
    struct bytes b = {0};
    struct runs r = {0};
    int err = bytes_of(&b, type);

    if (err == MPI_SUCCESS)
        err = runs_fill(&r, s, &b, count, extent);
    if (err == MPI_SUCCESS)
        err = PMPI_Type_create_hindexed_c(r.n, r.length, r.at, MPI_BYTE, made);
    free(b.at);
    free(r.at);
    free(r.length);
    return err;
}

/* A basic datatype of which a whole number makes one element of the array. */
static int fits(const struct f_shape *s, MPI_Datatype type, MPI_Count extent)
{
    MPI_Count size = 0, integers, places, larges, types;
    int combiner = MPI_UNDEFINED;

    if (PMPI_Type_get_envelope_c(type, &integers, &places, &larges, &types, &combiner) != MPI_SUCCESS ||
        PMPI_Type_size_c(type, &size) != MPI_SUCCESS)
        return 0;
    return combiner == MPI_COMBINER_NAMED && size == extent && size > 0 && s->length % size == 0;
}

/* Elements of a basic type: those that fill whole elements of the array, and what is left over. */
static int basic(const struct f_shape *s, MPI_Count count, MPI_Datatype type, MPI_Count extent, MPI_Datatype *made)
{
    MPI_Count in_one = s->length / extent, whole = count / in_one;
    MPI_Datatype unit = MPI_DATATYPE_NULL, most = MPI_DATATYPE_NULL, rest = MPI_DATATYPE_NULL;
    int err = PMPI_Type_contiguous_c(in_one, type, &unit);

    if (err == MPI_SUCCESS)
        err = nest(s, s->rank - 1, whole, unit, &most);
    if (err == MPI_SUCCESS && count % in_one != 0) {
        err = PMPI_Type_contiguous_c(count % in_one, type, &rest);
        if (err == MPI_SUCCESS)
            err = join(most, rest, f_shape_offset(s, whole), made);
        type_drop(&most);
    } else {
        *made = most;
    }
    type_drop(&unit);
    type_drop(&rest);
    return err;
}

int f_layout_make(const struct f_shape *s, MPI_Count count, MPI_Datatype type, MPI_Datatype *made)
{
    MPI_Count lower, extent;

    TRY(PMPI_Type_get_extent_c(type, &lower, &extent));
    if (fits(s, type, extent))
        return basic(s, count, type, extent, made);
    return scattered(s, count, type, extent, made);
}
