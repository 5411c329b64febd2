/* The cells in use are in a list: any other pointer is an attribute that C has set, and is not looked into. Programs have few
 * attributes, so the list is short. */
#include "fortran_cell.h"

#include <pthread.h>
#include <stdlib.h>

struct f_cell {
    MPI_Aint value;
    struct f_cell *next;
};

static struct f_cell *cells;
static pthread_mutex_t cells_lock = PTHREAD_MUTEX_INITIALIZER;

/* The link that points to the attribute's cell, or the one at the end; call with the lock held. */
static struct f_cell **cell_find(const void *attribute)
{
    struct f_cell **link = &cells;

    while (*link != NULL && &(*link)->value != attribute)
        link = &(*link)->next;
    return link;
}

void *f_cell_new(MPI_Aint value)
{
    struct f_cell *cell = malloc(sizeof *cell);

    if (cell == NULL)
        return NULL;
    cell->value = value;
    pthread_mutex_lock(&cells_lock);
    cell->next = cells;
    cells = cell;
    pthread_mutex_unlock(&cells_lock);
    return &cell->value;
}

static int cell_known(const void *attribute)
{
    int known;

    pthread_mutex_lock(&cells_lock);
    known = *cell_find(attribute) != NULL;
    pthread_mutex_unlock(&cells_lock);
    return known;
}

MPI_Aint f_cell_value(void *attribute)
{
    return cell_known(attribute) ? *(MPI_Aint *)attribute : (MPI_Aint)attribute;
}

int f_cell_copy(void *attribute, MPI_Aint copied, void *out)
{
    void *copy = cell_known(attribute) ? f_cell_new(copied) : (void *)copied;

    if (copy == NULL && cell_known(attribute))
        return MPI_ERR_NO_MEM;
    *(void **)out = copy;
    return MPI_SUCCESS;
}

void f_cell_free(void *attribute)
{
    struct f_cell **link, *cell;

    pthread_mutex_lock(&cells_lock);
    link = cell_find(attribute);
    cell = *link;
    if (cell != NULL)
        *link = cell->next;
    pthread_mutex_unlock(&cells_lock);
    free(cell);
}
