/* Fortran's library, where ranks share that: ldso_fortran.c. */
#ifndef VRANK_LDSO_FORTRAN_H
#define VRANK_LDSO_FORTRAN_H

#include "vrank/libc/bindings.h"

/* Fortran's library, where they share that: ldso_fortran.c. */
struct vr_fortran_library {
	uint64_t read, read_done, write, write_done;
};
extern struct vr_fortran_library vr_fortran_library;
extern const struct vr_binding vr_fortran_bindings[];

#endif
