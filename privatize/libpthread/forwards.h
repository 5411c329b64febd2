/* The way from the process's own C library to its library of threads, where that is a library of its own. */
#ifndef PRIVATIZE_LIBPTHREAD_FORWARDS_H
#define PRIVATIZE_LIBPTHREAD_FORWARDS_H

#include <stdint.h>

/* Lets the C library be used by threads with the new pointer guard instead of those with the old one; does nothing where threads are part of the C
 * library. Nobody may be in the C library at the same time with either. */
void priv_libpthread_forwards(uint64_t old_guard, uint64_t new_guard);

#endif
