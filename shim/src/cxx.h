/* What the C++ bindings need of the library: objects without constructors. */
#ifndef AMPI_SHIM_CXX_H
#define AMPI_SHIM_CXX_H

#include "shim.h"
#include "mpicxx/support.h"

/* A communicator as C++ sees it: the first word points into the virtual table of its class, which each C++ file that uses
 * the class has a copy of. In a program without C++ there is none. */
struct cxx_comm {
    const void *functions;
    MPI_Comm comm;
};

/* Before the first function of a virtual table stand the offset to the whole object and the type. */
#define CXX_TABLE_HEAD (2 * sizeof(void *))

#define CXX_COMM(name, table, handle) \
    extern const char table[] __attribute__((weak)); \
    SHIM_EXPORT struct cxx_comm ampi_cxx_##name = {table + CXX_TABLE_HEAD, handle}

#endif
