/* What the files of the shim share inside one program image. */
#ifndef AMPI_SHIM_SRC_H
#define AMPI_SHIM_SRC_H

#include "mpi.h"
#include "table.h"

#define SHIM_HIDDEN __attribute__((visibility("hidden")))

/* Seen by the loader in the program's dynamic symbol table, whatever -fvisibility says. */
#define SHIM_EXPORT __attribute__((visibility("default")))

/* MPI_name as a weak alias of PMPI_name, so that a profiling tool can take its place. */
#define SHIM_WEAK(name) extern __typeof(P##name) name __attribute__((weak, alias("P" #name)))

/* Loads the hash without running code: the loader reads it from the file. */
SHIM_EXPORT extern const uint64_t ampi_shim_hash;

/* Gives the shim of this image its functions. Returns 0, or non-zero when t is of another build:
 * ampi_shim_error() then says why and nothing has changed. Call before any MPI call, from any stack. */
SHIM_EXPORT int ampi_shim_unpack(const struct ampi_shim_table *t);

/* The reason of the last failed ampi_shim_unpack, "" when there was none. */
SHIM_EXPORT const char *ampi_shim_error(void);

#endif
