/* Ranks that move by themselves: migrate.c. */
#ifndef AMPI_MIGRATE_H
#define AMPI_MIGRATE_H

#include <stdint.h>

/* Rank stack: go to PE `to` now, with the calls that the program wants before and after. NULL, or why that cannot be; switches. */
const char *ampi_go(int32_t to);

/* What is to be called around moves has changed: a rank with such functions moves at its own calls only. */
void ampi_is_told_changes(void);

#endif
