/* MPI_Status with AMPI's fields beside the standard's, for programs compiled with -ampi-compat. Size and layout are the same. */
#ifndef AMPIRUN_AMPI_STATUS_H
#define AMPIRUN_AMPI_STATUS_H

#include "pup_c.h"

typedef struct MPI_Status {
    int MPI_SOURCE;
    int MPI_TAG;
    int MPI_ERROR;
    __extension__ union {
        int MPI_internal[5];
        __extension__ struct __attribute__((packed, aligned(4))) {
            int MPI_LENGTH; /* bytes of the message, modulo 2^32 */
            int AMPI_length_high;
            int MPI_CANCEL;
            struct MPI_ABI_Comm *MPI_COMM; /* that it came over */
        };
    };
} MPI_Status;

#endif
