/* The C++ bindings of MPI 2.2, namespace MPI: MPI 3.0 removed them, and programs of twenty years use them. Included
 * by mpi.h in C++ unless one of the macros below is defined, which other MPI libraries have for the same purpose, or the
 * program has a macro called MPI.
 *
 * Every member function is an inline call of its C function. Predefined objects such as MPI::COMM_WORLD lie in the shim's
 * library as data, so that a program which does not use the bindings carries nothing of them. */
#ifndef AMPI_MPICXX_H
#define AMPI_MPICXX_H

#if !defined(AMPI_SKIP_MPICXX) && !defined(MPICH_SKIP_MPICXX) && !defined(OMPI_SKIP_MPICXX) && !defined(MPI_NO_CPPBIND) && \
    !defined(_MPICC_H) && !defined(MPI)

/* The program's warning options are for the program. */
#pragma GCC system_header

#include "mpicxx/support.h"
#include "mpicxx/seek.h"

#include "mpicxx/hide.h"
#pragma GCC visibility push(default)

namespace MPI {
#include "mpicxx/base.h"
#include "mpicxx/handles.h"
#include "mpicxx/request.h"
#include "mpicxx/datatype.h"
#include "mpicxx/comm.h"
#include "mpicxx/intracomm.h"
#include "mpicxx/topology.h"
#include "mpicxx/win.h"
#include "mpicxx/file.h"
#include "mpicxx/names.h"
#include "mpicxx/callback.h"
#include "mpicxx/environment.h"
}

#pragma GCC visibility pop
#include "mpicxx/unhide.h"

#endif
#endif
