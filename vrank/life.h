/* Life of a rank and the functions of the C library that the runtime takes over. */
#ifndef VRANK_LIFE_H
#define VRANK_LIFE_H

#include <link.h>

#include "core.h"

#define VR_IDENTITY 32

/* A loaded object, the same for all ranks: places are offsets from a rank's image area. */
struct vr_object {
	const char *name; /* path; host memory that lives as long as the worker */
	uint64_t bias; /* images + bias is what is added to the file's addresses */
	uint64_t offset, span; /* pages in memory */
	uint64_t phdrs, nphdrs;
	uint64_t eh_frame_hdr; /* 0 when there is none */
	uint64_t dynamic;
	uint64_t tls_module;
	uint64_t tls_image, tls_filesz; /* initial values, as an offset of the image area */
};

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
	uint64_t tls_size, tls_align, tls_offset;
	uint64_t *inits, *finis;
	uint32_t ninits, nfinis;
};

/* What the job knows of such a library: in the arena. */
struct vr_shelved {
	struct vr_shelved *next;
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
const struct vr_shelved *vr_library_place(const struct vr_library_facts *f, int first_module, uint64_t tls_used, uint64_t tls_limit, const char **why);

/* PE stack. A library that has just been put into the slice becomes one of rank r. */
void vr_library_add(struct vr_rank *r, struct vr_library *l);

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

/* PE stack, once: the objects of the program, libraries after it. */
void vr_objects_set(const struct vr_object *objects, int n);

/* The object of any rank that holds pc, and the start of that rank's image area; NULL when none does. */
const struct vr_object *vr_object_find(uint64_t pc, uint64_t *images);

/* Is this the program itself, none of its libraries? NULL is not. Any thread. */
int vr_object_is_program(const struct vr_object *o);

/* Note which process ranks run in, so that children are told apart; PE stack, once. */
void vr_exec_setup(void);

/* Report full and damaged heaps by rank; PE stack, once. */
void vr_heap_handlers(void);

/* Walk a rank's heap: 0, or -1 with the reason. The owner. */
int vr_heap_sound(struct vr_rank *r, char *why, size_t n);

/* Nested functions of GNU C and gfortran need their stack executable. 0, or -1. */
int vr_stack_allow_code(void *stack, uint64_t size);

/* A function of the shim's table that a preloaded library has, as an offset of the image area. */
struct vr_tool {
	int32_t fn;
	uint64_t offset;
};

/* PE stack, once; the list is kept. */
void vr_tools_set(const struct vr_tool *list, int n);

/* Rank stack: the table for the shim of rank r, with tools' functions in it. */
const void *vr_tools_table(struct vr_rank *r, const void *base);

/* A symbol that rank images get from the runtime instead of their libraries. */
struct vr_binding {
	const char *name;
	void *address;
};
extern const struct vr_binding vr_bindings[];

/* The function table that a program's shim unpacks; set by the MPI layer before ranks start. */
extern const void *vr_shim_table;

/* The one for programs that have threads; set likewise, or NULL. */
extern const void *vr_shim_guarded;

/* Called on the rank's stack when it is about to end, before its exit handlers: the MPI layer's say. */
extern void (*vr_rank_ending)(int code);

/* Where the C library's stdio goes through for input and output; patched in each rank's private copy. */
struct vr_stdio {
	uint64_t jumps; /* offset of _IO_file_jumps in the image area */
	uint64_t read, write, close; /* offsets of the functions that are there */
};
extern struct vr_stdio vr_stdio;

/* Run what atexit and kin registered, for one object or (NULL) all. Rank stack. */
void vr_atexit_run(void *dso, int code);

/* Destructors of the thread_local objects of a thread that a rank started. */
void vr_atexit_run_thread(void);

/* A thread that a rank started is about to end; and the values of its keys. */
void vr_thread_end(void);
void vr_keys_end(void ***values);

/* Write the initial values of rank r's thread-local variables below thread pointer tp; zeroes are there already. */
void vr_objects_copy_tls(const struct vr_rank *r, char *tp);

/* Bytes below the thread pointer that the variables of r take. */
uint64_t vr_tls_used(const struct vr_rank *r);

/* Install the handlers of the faults that ranks may cause. PE thread, after the Go runtime's are there. */
const char *vr_fault_setup(void);

/* The worker's handler shall see this signal from now on. */
void vr_signal_claim(int signal);

/* Call the handler that rank r set for a signal, if it did: 1. */
int vr_signal_deliver(struct vr_rank *r, int signal, void *info, void *context);

/* What the last fault was; PE stack. */
struct vr_fault {
	int signal, code;
	uint64_t address, pc, sp;
};
extern struct vr_fault vr_fault;

#endif
