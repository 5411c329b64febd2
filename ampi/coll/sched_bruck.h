/* Alltoall of small blocks of one size in few messages, see sched_bruck.c. */
#ifndef AMPI_SCHED_BRUCK_H
#define AMPI_SCHED_BRUCK_H

#include "ampi/coll/sched.h"

/* Is this the way for n members with blocks of so many bytes? The same answer in all of them. */
int ampi_bruck_suits(int n, int64_t bytes);

/* The steps of an alltoall inside a group, whose blocks have one size. Rank stack. */
void ampi_bruck_alltoall(struct ampi_sched *p, const struct ampi_exchange *x);

#endif
