/* getopt, where ranks share the C library: ldso_getopt.c. */
#ifndef VRANK_LDSO_GETOPT_H
#define VRANK_LDSO_GETOPT_H

#include "vrank/libc/bindings.h"

/* Ranks that share the C library have their own of its variables at these offsets from their images, 0 for none: ldso_getopt.c. */
struct vr_getopt_places {
	uint64_t optarg, optind, opterr, optopt;
};
extern struct vr_getopt_places vr_getopt_places;

/* The functions of the C library that they share, and its variables. PE stack, once. */
struct vr_getopt_library {
	uint64_t getopt, posix_getopt, getopt_long, getopt_long_only;
	char **optarg;
	int *optind, *opterr, *optopt;
};
extern struct vr_getopt_library vr_getopt_library;
extern const struct vr_binding vr_getopt_bindings[];

#endif
