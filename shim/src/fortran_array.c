/* Geometry of array sections. */
#include "fortran_array.h"

#include <string.h>

int f_flat(const struct f_array *a)
{
    ptrdiff_t next = (ptrdiff_t)a->length;

    for (int i = 0; i < a->rank; i++) {
        ptrdiff_t extent = a->dim[i].upper - a->dim[i].lower + 1;
        if (extent != 1 && a->dim[i].stride * a->span != next)
            return extent == 0;
        next *= extent;
    }
    return 1;
}

static void shape_add(struct f_shape *s, MPI_Count extent, MPI_Count stride)
{
    int last = s->rank - 1;
    MPI_Count next = s->rank == 0 ? s->length : s->stride[last] * s->extent[last];

    s->total *= extent;
    if (extent == 1)
        return;
    if (stride == next && s->rank > 0) {
        s->extent[last] *= extent;
        return;
    }
    s->extent[s->rank] = extent;
    s->stride[s->rank++] = stride;
}

struct f_shape f_shape_of(const struct f_array *a)
{
    struct f_shape s = {.base = a->base, .length = (MPI_Count)a->length, .total = 1};

    for (int i = 0; i < a->rank; i++) {
        MPI_Count extent = a->dim[i].upper - a->dim[i].lower + 1;
        shape_add(&s, extent < 0 ? 0 : extent, a->dim[i].stride * a->span);
    }
    return s;
}

MPI_Count f_shape_offset(const struct f_shape *s, MPI_Count n)
{
    MPI_Count bytes = 0;

    for (int i = 0; i < s->rank; i++) {
        int outermost = i == s->rank - 1;
        bytes += (outermost ? n : n % s->extent[i]) * s->stride[i];
        n /= s->extent[i];
    }
    return bytes;
}

int f_shape_repeats(const struct f_shape *s, MPI_Count n)
{
    MPI_Count inner = 1;

    for (int i = 0; i < s->rank - 1; i++)
        inner *= s->extent[i];
    return n % inner == 0;
}

/* Calls that move one element between the packed form and its place in the array. */
typedef void move_element(char *element, char *packed, const char *before, size_t length);

/* Walks the dimensions from the outermost to the innermost; done counts the bytes of packed that are dealt with. */
static void shape_walk(const struct f_shape *s, int level, char *at, char *packed, const char *before, size_t *done, move_element *move)
{
    if (level < 0) {
        move(at, packed + *done, before == NULL ? NULL : before + *done, (size_t)s->length);
        *done += (size_t)s->length;
        return;
    }
    for (MPI_Count i = 0; i < s->extent[level]; i++)
        shape_walk(s, level - 1, at + i * s->stride[level], packed, before, done, move);
}

static void move_out(char *element, char *packed, const char *before, size_t length)
{
    (void)before;
    memcpy(packed, element, length);
}

static void move_back(char *element, char *packed, const char *before, size_t length)
{
    if (memcmp(packed, before, length) != 0)
        memcpy(element, packed, length);
}

void f_shape_gather(const struct f_shape *s, char *packed)
{
    size_t done = 0;

    if (s->total > 0)
        shape_walk(s, s->rank - 1, s->base, packed, NULL, &done, move_out);
}

void f_shape_scatter(const struct f_shape *s, const char *packed, const char *before)
{
    size_t done = 0;

    if (s->total > 0)
        shape_walk(s, s->rank - 1, s->base, (char *)packed, before, &done, move_back);
}
