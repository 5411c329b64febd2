/* Constructors of libpthread.so.0, where that is a library of its own. */
#ifndef PRIVATIZE_LIBPTHREAD_INIT_H
#define PRIVATIZE_LIBPTHREAD_INIT_H

#include <stdint.h>

/* Calls a constructor of a copy of libpthread.so.0 that lies within size bytes at an address. What it changes of the calling thread, of the
 * process's signal handlers and of ld.so is put back. */
void priv_libpthread_init(uint64_t init, int argc, char **argv, char **envp, uint64_t copy, uint64_t size);

#endif
