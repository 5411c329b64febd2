/* Libraries that ranks open at run time, library.c. */
#ifndef VRANK_LIBRARY_H
#define VRANK_LIBRARY_H

#include <link.h>

#include "vrank/libc/objects.h"

#define VR_IDENTITY 32

/* A library that a rank has opened at run time, in its slice: what whoever owns the rank needs to know. Its address is the handle that the
 * program has, of which it may read the part that glibc makes public. */
struct vr_library {
	struct link_map link;
	struct vr_library *next, *init_next, *fini_next;
	struct vr_object object; /* its name and its place tell which file it is */
	unsigned char identity[VR_IDENTITY];
	int32_t image; /* number of the program's image that this is a handle of, -1 for one that came at run time */
	int32_t refs;
	int32_t global; /* when it was opened with RTLD_GLOBAL, counted from 1; 0: not */
	int32_t started; /* its constructors have been called */
	int32_t is_closed; /* nobody who is open needs it any more; it stays in memory */
	uint32_t epoch; /* how often it was opened again after that */
	uint64_t tls_size, tls_align, tls_offset;
	uint64_t *inits, *finis;
	uint32_t ninits, nfinis;
	char *scope; /* what it sees, as privatize has it */
};

/* What the job knows of such a library: in the arena. */
struct vr_library_entry {
	struct vr_library_entry *next;
	uint64_t offset; /* from the image area of a rank */
	int32_t module;
	uint64_t tls_offset; /* 0: blocks are allocated */
	unsigned char identity[VR_IDENTITY];
	char path[];
};

struct vr_library_facts {
	const char *path;
	unsigned char identity[VR_IDENTITY];
	uint64_t size, align;
	int32_t has_tls, static_tls;
	uint64_t tls_size, tls_align, tls_skew;
};

/* PE stack. Find the place of a library in this job, or give it one; `first_module` and `tls_used` are the program's, `tls_limit` bounds fixed
 * blocks. Its entry, or NULL with the reason. */
const struct vr_library_entry *vr_library_place(const struct vr_library_facts *f, int first_module, uint64_t tls_used, uint64_t tls_limit, const char **why);

/* PE stack. A library that has just been put into the slice becomes one of rank r. */
void vr_library_add(struct vr_rank *r, struct vr_library *l);

/* PE stack. A library of a rank that has come from another worker. */
void vr_library_adopt(const struct vr_library *l);

/* The rank whose images r uses: itself unless ranks share them. */
struct vr_rank *vr_library_owner(const struct vr_rank *r);

/* Threads that rank r has started and that live. */
int vr_library_threads(const struct vr_rank *r);

/* Rank stack: constructors of libraries linked by init_next; destructors of all. */
void vr_libraries_start(struct vr_library *l);
void vr_libraries_end(void);

/* What functions that nobody defines are bound to in libraries opened with RTLD_LAZY. */
void vr_library_undefined(void) __attribute__((noreturn));

/* The block of a module in the calling thread. Any thread that runs a rank. */
void *vr_library_tls(uint64_t module);

/* A thread ends: its blocks. */
void vr_library_tls_end(char **blocks);

/* Rank stack. What tells the file of an image of the program (by its number) from others, filled up with zeroes. */
void vr_object_identity(int image, unsigned char out[VR_IDENTITY]);

/* Rank stack. The symbol at an address of the rank's, local ones included, with the distance from it; "" if there is none. */
void vr_object_symbol(uint64_t address, char *out, size_t room);

#endif
