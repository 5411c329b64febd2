#ifndef AMPI_SERVE_H
#define AMPI_SERVE_H

#include <stdint.h>

/* Serves MPI function fn (AMPI_FN_*) with its n arguments widened to 64 bits; returns the MPI error code. */
int ampi_serve(int fn, uint64_t *args, int n);

#endif
