/* What of the program and its libraries lies where, objects.c. */
#ifndef VRANK_OBJECTS_H
#define VRANK_OBJECTS_H

#include "vrank/core/rank.h"

/* A loaded object, the same for all ranks: places are offsets from a rank's image area. */
struct vr_object {
	const char *name; /* path; host memory that lives as long as the worker */
	const char *copy; /* where the file is, if it is not what it was at its path; else NULL, as for libraries opened at run time */
	uint64_t bias; /* images + bias is what is added to the file's addresses */
	uint64_t offset, span; /* pages in memory */
	uint64_t phdrs, nphdrs;
	uint64_t eh_frame_hdr; /* 0 when there is none */
	uint64_t dynamic;
	uint64_t tls_module;
	uint64_t tls_image, tls_filesz; /* initial values, as an offset of the image area */
};

/* PE stack, once: the objects of the program, libraries after it. */
void vr_objects_set(const struct vr_object *objects, int n);

/* What was set; debuggers read them by name (debugger/). */
extern const struct vr_object *vr_objects;
extern int vr_nobjects;

/* The object of any rank that holds pc, and the start of that rank's image area; NULL when none does. */
const struct vr_object *vr_object_find(uint64_t pc, uint64_t *images);

/* The program itself. */
const struct vr_object *vr_object_program(void);

/* An image of the worker's own: its program (path "") or a library that ld.so has loaded. */
struct vr_host_image {
	const char *path;
	uint64_t bias; /* what is added to the file's addresses */
	uint64_t eh_frame_hdr;
};

/* The one that holds pc: 1, or 0. Any thread. */
int vr_host_find(uint64_t pc, struct vr_host_image *out);

/* Is this the program itself, none of its libraries? NULL is not. Any thread. */
int vr_object_is_program(const struct vr_object *o);

/* Give a libgcc_s, whose _Unwind_Backtrace this is, what it needs to be called in the middle of another one's work. */
void vr_unwinder_prepare(uint64_t backtrace);

/* Write the initial values of rank r's thread-local variables below thread pointer tp; zeroes are there already. */
void vr_objects_copy_tls(const struct vr_rank *r, char *tp);

/* Bytes below the thread pointer that the variables of r take. */
uint64_t vr_tls_used(const struct vr_rank *r);

#endif
