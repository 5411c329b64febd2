/* Ranks that move by themselves: migrate.c. */
#ifndef AMPI_MIGRATE_H
#define AMPI_MIGRATE_H

#include <stdint.h>

/* Rank stack: go to PE `to` now, with the calls that the program wants before and after. NULL, or why that cannot be; switches. */
const char *ampi_go(int32_t to);

#endif
