/* Hands tables of other builds to the shim, and says what it makes of them. */
#include "mpi.h"
#include "table.h"

#include <stdio.h>
#include <string.h>

int ampi_shim_unpack(const struct ampi_shim_table *t);
const char *ampi_shim_error(void);
extern const uint64_t ampi_shim_hash;

static struct ampi_shim_table good(void)
{
    static struct ampi_shim_table t;

    memcpy(t.magic, AMPI_SHIM_MAGIC, sizeof t.magic);
    t.version = AMPI_SHIM_VERSION;
    t.count = AMPI_FN_COUNT;
    t.size = sizeof t;
    t.hash = ampi_shim_hash;
    return t;
}

static void offer(const char *what, const struct ampi_shim_table *t)
{
    int refused = ampi_shim_unpack(t) != 0;

    printf("%s: %s\n", what, refused ? ampi_shim_error() : "taken");
}

int main(void)
{
    struct ampi_shim_table t;

    offer("nothing", NULL);
    t = good(), t.magic[0] = 'X', offer("magic", &t);
    t = good(), t.version++, offer("version", &t);
    t = good(), t.hash = 1, offer("hash", &t);
    t = good(), t.count--, offer("count", &t);
    t = good(), t.size += 8, offer("size", &t);
    t = good(), offer("good", &t);
    return 0;
}
