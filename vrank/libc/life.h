/* Life of a rank and the functions of the C library that the runtime takes over. */
#ifndef VRANK_LIFE_H
#define VRANK_LIFE_H

#include <link.h>
#include <pthread.h>

#include "vrank/core/hooks.h"
#include "vrank/core/registers_amd64.h"

#define VR_IDENTITY 32

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

/* Tell the C library that rank r uses its environment and its program's name. PE stack of the owner, or the rank's. */
void vr_rank_introduce(struct vr_rank *r);

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

/* Report full and damaged heaps by rank; PE stack, once. */
void vr_heap_handlers(void);

/* Walk a rank's heap: 0, or -1 with the reason. The owner. */
int vr_heap_sound(struct vr_rank *r, char *why, size_t n);

/* Rank stack: what the rank's C library maps from now on can be mapped by other workers, too. The owner, for a rank that has come: the
 * same here. 0, or an errno. */
int vr_redirect(void);
int vr_redirect_enter(struct vr_rank *r);

/* Set where pages are taken out of ranks' memory to be copied: advice to make huge pages is not heeded. */
extern int vr_keeps_small_pages;

/* Memory of a heap, of the current rank or of r, has this protection from now on. */
void vr_protect_note(void *at, size_t n, int prot);

/* The owner: the first part of [lo, hi) with another protection than reading and writing, or with a file. Its protection, or -1. */
int vr_protected_part(const struct vr_rank *r, uint64_t lo, uint64_t hi, struct iso_range *part);
void vr_protect_note_of(struct vr_rank *r, void *at, size_t n, int prot);

/* The owner, for a rank that goes, or has come: the protections of its memory. 0, or -1. */
void vr_protect_leave(struct vr_rank *r);
int vr_protect_enter(struct vr_rank *r);

/* Bytes that rank r has reserved for its break and does not use. */
uint64_t vr_break_idle(const struct vr_rank *r);

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

/* The names for enum vr_libc. */
extern const char *const vr_libc_names[];

/* A symbol that rank images get from the runtime instead of their libraries. */
struct vr_binding {
	const char *name;
	void *address;
};
extern const struct vr_binding vr_bindings[];

/* What differs for programs that ld.so has loaded (ldso.c); a row without an address is left to ld.so. */
extern const struct vr_binding vr_ldso_bindings[];

/* More of them: functions of the C library that leave behind what a rank cannot take along (pinning_calls.c), and where the library has the one
 * with this index, as an offset from a rank's images. PE stack, once. */
extern const struct vr_binding vr_pinning_bindings[];
void vr_pinning_place(int index, uint64_t place);

/* Where ranks share libraries there are more of them, with indices behind those, and places are addresses. NULL ends the names. */
extern const struct vr_binding vr_pinning_shared_bindings[];
const char *vr_pinning_name(int index);
int vr_pinning_has_place(int index);

/* Those of the bindings that make up the heap: the allocator and the mmap family. Ends with NULL. */
extern const char *const vr_heap_names[];

/* The program's allocator is jemalloc, whose threads reach into each other's thread-local variables. Set before ranks start. */
extern int vr_links_threads;

/* Tells a rank's C library whether it may leave out atomic instructions and the waking of others. */
void vr_single_threaded(const struct vr_entry *e, int is);

/* Ranks allocate with their C library. Set before ranks start. */
extern int vr_host_heap;

/* What libraries of such programs get: those that ranks of a worker share (the programs get this too), and those in a namespace of one
 * rank: ldso_libs.c. */
extern const struct vr_binding vr_shared_library_bindings[], vr_shared_only_bindings[], vr_namespace_library_bindings[], vr_library_bindings[];

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

/* Fortran's library, where they share that: ldso_fortran.c. */
struct vr_fortran_library {
	uint64_t read, read_done, write, write_done;
};
extern struct vr_fortran_library vr_fortran_library;
extern const struct vr_binding vr_fortran_bindings[];

/* ld.so has loaded what ranks run. */
extern int vr_ldso;

/* The rank whose images are being made: constructors of its libraries may run, on the PE stack. NULL otherwise. */
extern struct vr_rank *vr_placing;

/* The function table that a program's shim unpacks; set by the MPI layer before ranks start. */
extern const void *vr_shim_table;

/* The one for programs that have threads; set likewise, or NULL. */
extern const void *vr_shim_guarded;

/* Called on the rank's stack when it is about to end, before its exit handlers: the MPI layer's say. */
extern void (*vr_rank_ending)(int code);

/* Run what atexit and kin registered, for one object or (NULL) all. Rank stack. */
void vr_atexit_run(void *dso, int code);

/* Destructors of the thread_local objects of a thread that a rank started. */
void vr_atexit_run_thread(void);

/* A thread that rank r has started without saying where it shall run: it takes over what the rank has asked for. */
void vr_affinity_inherit(const struct vr_rank *r);

/* Rank stack. Have the rank's program call MPI through the table that looks at who calls. */
void vr_guard_calls(struct vr_rank *r);

/* The environment of the rank that runs. */
char **vr_environment(void);

/* Give a libgcc_s, whose _Unwind_Backtrace this is, what it needs to be called in the middle of another one's work. */
void vr_unwinder_prepare(uint64_t backtrace);

/* The values of the keys of a thread that a rank started, at its end. */
void vr_keys_end(void ***values);

/* Write the initial values of rank r's thread-local variables below thread pointer tp; zeroes are there already. */
void vr_objects_copy_tls(const struct vr_rank *r, char *tp);

/* Bytes below the thread pointer that the variables of r take. */
uint64_t vr_tls_used(const struct vr_rank *r);

/* Install the handlers of the faults that ranks may cause. PE thread, after the Go runtime's are there. */
const char *vr_fault_setup(void);

/* Is this one of those signals? */
int vr_fault_is(int signal);

/* The worker's handler shall see this signal from now on. */
void vr_signal_claim(int signal);

/* Has a rank of this worker asked for the signal? Any thread. */
int vr_signal_is_claimed(int signal);

/* Call the handler that rank r set for a signal, if it did: 1. */
int vr_signal_deliver(struct vr_rank *r, int signal, void *info, void *context);

/* What the last fault was; PE stack. */
struct vr_fault {
	int signal, code;
	uint64_t address;
	int is_store;
	uint64_t regs[VR_REGS];
};
extern struct vr_fault vr_fault;

/* PE stack, after VR_FAULT: do again what the rank died of, with no handler: the process ends as if it were the rank, and leaves a
 * core file of that moment. */
void vr_fault_repeat(struct vr_context *context) __attribute__((noreturn));

/* Which memfd the region is; PE stack, once. */
void vr_core_setup(int region_fd, uint64_t region_base);

/* PE stack: wait until a debugger sets vr_debugger_ready to 1 (debugger/). */
void vr_debugger_await(void);
extern volatile int vr_debugger_ready;

/* Do the limits of this process allow a core file? Any thread. */
int vr_core_wanted(void);

/* A core file of this worker is about to be made: let it have the memory that its ranks have touched. Any thread while no rank
 * runs, a handler of a signal, or a debugger. */
void vr_core_prepare(void);

/* thread_stacks.c: what threads have whose creator says nothing, to be set by a C library's pthread_setattr_default_np, or NULL; with so
 * many bytes more. */
void vr_thread_default(int (*set)(const pthread_attr_t *), size_t more);

/* limits.c: a thread has been made for whoever called from there, or not. The Go runtime's last try ends the process, with a line that says why. */
void vr_thread_failed(const void *caller, int error);

#endif
