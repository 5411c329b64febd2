/* Datatypes that pending operations hand to functions of the program: type_lend.c. */
#ifndef AMPI_TYPE_LEND_H
#define AMPI_TYPE_LEND_H

#include "ampi/ampi.h"

/* An operation keeps the handle of a type alive until it returns it. Lending: rank stack, may switch. Returning: any stack of r's owner. */
void ampi_type_lend(const struct vr_type *type);
void ampi_type_return(struct vr_rank *r, const struct vr_type *type);

/* The program frees a type: 1 when it is lent. Then the program's handle is taken, and the type goes when it is returned. Rank stack. */
int ampi_type_keep(MPI_Datatype *type);

/* Free what the program has freed and all operations have returned. Rank stack; may switch. */
void ampi_types_sweep(void);

#endif
