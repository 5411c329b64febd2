/* What programs written for AMPI include in place of mpi.h, or beside it. */
#ifndef AMPIRUN_AMPI_H
#define AMPIRUN_AMPI_H

#include "mpi.h"

#endif
