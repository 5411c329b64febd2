/* Hands the runtime's functions to the jumps of this program image. */
#include "shim.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Read by the jumps in jump_gen.S; NULL until the runtime has called ampi_shim_unpack. */
SHIM_HIDDEN const struct ampi_shim_table *ampi_shim;

/* What the linker is told to look for. Being hidden it is not found in a shared library that happens to
 * contain a shim too, so that the executable always has one of its own. */
SHIM_HIDDEN const char ampi_shim_wanted = 1;

SHIM_EXPORT const uint64_t ampi_shim_hash = AMPI_SHIM_HASH;

static char reason[160];

const char *ampi_shim_error(void)
{
    return reason;
}

int ampi_shim_unpack(const struct ampi_shim_table *t)
{
    if (t == NULL || memcmp(t->magic, AMPI_SHIM_MAGIC, sizeof t->magic) != 0) {
        snprintf(reason, sizeof reason, "what ampirun handed over is not a function table");
        return 1;
    }
    if (t->version != AMPI_SHIM_VERSION) {
        snprintf(reason, sizeof reason, "program was built with shim version %u, this ampirun has %u: rebuild it with ampicc",
                 (unsigned)AMPI_SHIM_VERSION, (unsigned)t->version);
        return 2;
    }
    if (t->hash != AMPI_SHIM_HASH || t->count != AMPI_FN_COUNT || t->size != sizeof *t) {
        snprintf(reason, sizeof reason, "program was built with shim hash %016llx, this ampirun has %016llx: rebuild it with ampicc",
                 (unsigned long long)AMPI_SHIM_HASH, (unsigned long long)t->hash);
        return 3;
    }
    reason[0] = '\0';
    ampi_shim = t;
    return 0;
}

/* The jumps come here while there is no table: nobody but ampirun can serve an MPI call. */
SHIM_HIDDEN void ampi_shim_unstarted(void)
{
    static const char text[] = "ampirun: this program must be started with: ampirun +vp N ./prog\n";

    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        _exit(2);
    _exit(2);
}
