/* Core files of a worker, coredump.c. */
#ifndef VRANK_COREDUMP_H
#define VRANK_COREDUMP_H

#include <stdint.h>

/* Which memfd the region is; PE stack, once. */
void vr_core_setup(int region_fd, uint64_t region_base);

/* Do the limits of this process allow a core file? Any thread. */
int vr_core_wanted(void);

/* A core file of this worker is about to be made: let it have the memory that its ranks have touched. Any thread while no rank
 * runs, a handler of a signal, or a debugger. */
void vr_core_prepare(void);

#endif
