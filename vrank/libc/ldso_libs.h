/* The libraries of such programs, ldso_libs.c. */
#ifndef VRANK_LDSO_LIBS_H
#define VRANK_LDSO_LIBS_H

#include "vrank/libc/bindings.h"

/* What libraries of such programs get: those that ranks of a worker share (the programs get this too), and those in a namespace of one
 * rank: ldso_libs.c. */
extern const struct vr_binding vr_shared_library_bindings[], vr_shared_only_bindings[], vr_namespace_library_bindings[], vr_library_bindings[];

#endif
