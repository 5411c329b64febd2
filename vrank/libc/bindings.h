/* Which functions of the C library rank images get from the runtime, bind.c. */
#ifndef VRANK_BINDINGS_H
#define VRANK_BINDINGS_H

/* A symbol that rank images get from the runtime instead of their libraries. */
struct vr_binding {
	const char *name;
	void *address;
};
extern const struct vr_binding vr_bindings[];

/* Those of the bindings that make up the heap: the allocator and the mmap family. Ends with NULL. */
extern const char *const vr_heap_names[];

/* The names for enum vr_libc. */
extern const char *const vr_libc_names[];

#endif
