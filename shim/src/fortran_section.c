/* Array sections with gaps as buffers: described by a datatype where MPI can use one, copied where it cannot. */
#include "fortran_array.h"

#include <stdio.h>
#include <stdlib.h>

static int raise_text(MPI_Fint comm, const char *text)
{
    int code = MPI_ERR_BUFFER;

    if (PMPI_Add_error_code(MPI_ERR_BUFFER, &code) == MPI_SUCCESS)
        PMPI_Add_error_string(code, text);
    PMPI_Comm_call_errhandler(F_HANDLE(MPI_Comm, comm), code);
    return code;
}

int f_section_refuse(const struct f_place *at)
{
    char text[MPI_MAX_ERROR_STRING];

    snprintf(text, sizeof text, "%s: %s is an array section with gaps, which this call cannot use: pass a contiguous array", at->call,
             at->argument);
    return raise_text(at->comm, text);
}

static int no_memory(const struct f_place *at)
{
    PMPI_Comm_call_errhandler(F_HANDLE(MPI_Comm, at->comm), MPI_ERR_NO_MEM);
    return MPI_ERR_NO_MEM;
}

/* Lets a packed copy stand for the array. */
static int copy_in(struct f_section *s, const struct f_place *at)
{
    size_t bytes = (size_t)(s->shape.total * s->shape.length);

    if (!at->blocking)
        return f_section_refuse(at);
    s->copy = malloc(bytes + 1);
    s->before = malloc(bytes + 1);
    if (s->copy == NULL || s->before == NULL)
        return no_memory(at);
    f_shape_gather(&s->shape, s->copy);
    f_shape_gather(&s->shape, s->before);
    s->base = s->copy;
    return MPI_SUCCESS;
}

/* Commits a datatype and makes it the section's, count elements of it. */
static int take(struct f_section *s, MPI_Datatype type, MPI_Count count)
{
    s->made = type;
    s->type = F_INT(type);
    s->large_count = count;
    s->count = (MPI_Fint)count;
    return PMPI_Type_commit(&s->made);
}

/* One block of count elements, with the extent that leads to the next block. */
static int block_type(struct f_section *s, MPI_Count count, MPI_Count extent, MPI_Datatype type, MPI_Datatype *made)
{
    MPI_Datatype plain;
    MPI_Count step = f_shape_offset(&s->shape, count * extent / s->shape.length);
    int err = f_layout_make(&s->shape, count, type, &plain);

    if (err != MPI_SUCCESS)
        return err;
    err = PMPI_Type_create_resized_c(plain, 0, step, made);
    PMPI_Type_free(&plain);
    return err;
}

/* Blocks can be described when each begins with an element of the array, and all look alike. */
static int describe_blocks(struct f_section *s, const struct f_place *at, enum f_role role, MPI_Count count, MPI_Datatype type)
{
    MPI_Count lower, extent, block = role == F_VECTOR ? 1 : count;
    MPI_Datatype made;
    int err = PMPI_Type_get_extent_c(type, &lower, &extent);

    if (err != MPI_SUCCESS)
        return err;
    if (extent <= 0 || block * extent % s->shape.length != 0 || !f_shape_repeats(&s->shape, block * extent / s->shape.length))
        return copy_in(s, at);
    err = block_type(s, block, extent, type, &made);
    return err == MPI_SUCCESS ? take(s, made, 1) : err;
}

static int describe_whole(struct f_section *s, MPI_Count count, MPI_Datatype type)
{
    MPI_Datatype made;
    int err = f_layout_make(&s->shape, count, type, &made);

    return err == MPI_SUCCESS ? take(s, made, 1) : err;
}

int f_section_open(struct f_section *s, const struct f_place *at, const struct f_array *a, enum f_role role, MPI_Count count,
                   MPI_Fint type)
{
    *s = (struct f_section){.base = a->base, .count = (MPI_Fint)count, .large_count = count, .type = type, .made = MPI_DATATYPE_NULL};
    if (role == F_UNUSED || f_flat(a))
        return MPI_SUCCESS;
    s->shape = f_shape_of(a);
    if (role == F_PACKED)
        return copy_in(s, at);
    if (count <= 0 && role != F_VECTOR)
        return MPI_SUCCESS;
    if (role == F_WHOLE)
        return describe_whole(s, count, F_HANDLE(MPI_Datatype, type));
    return describe_blocks(s, at, role, count, F_HANDLE(MPI_Datatype, type));
}

void f_section_close(struct f_section *s, int n)
{
    for (int i = 0; i < n; i++) {
        if (s[i].made != MPI_DATATYPE_NULL && s[i].made != NULL)
            PMPI_Type_free(&s[i].made);
        if (s[i].base != NULL && s[i].base == s[i].copy)
            f_shape_scatter(&s[i].shape, s[i].copy, s[i].before);
        free(s[i].copy);
        free(s[i].before);
    }
}

int f_at_root(MPI_Fint comm, MPI_Fint root)
{
    int rank = MPI_PROC_NULL;

    if (root < 0)
        return root == MPI_ROOT;
    return PMPI_Comm_rank(F_HANDLE(MPI_Comm, comm), &rank) == MPI_SUCCESS && rank == root;
}

int f_at_leaf(MPI_Fint root)
{
    return root != MPI_ROOT && root != MPI_PROC_NULL;
}
