/* What differs for programs that ld.so has loaded, ldso.c. */
#ifndef VRANK_LDSO_H
#define VRANK_LDSO_H

#include "vrank/libc/bindings.h"

/* ld.so has loaded what ranks run. */
extern int vr_ldso;

/* What differs for programs that ld.so has loaded; a row without an address is left to ld.so. */
extern const struct vr_binding vr_ldso_bindings[];

#endif
