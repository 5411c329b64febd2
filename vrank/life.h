/* Life of a rank and the functions of the C library that the runtime takes over. */
#ifndef VRANK_LIFE_H
#define VRANK_LIFE_H

#include "core.h"

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
