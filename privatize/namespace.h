/* Namespaces of ld.so. */
#ifndef PRIVATIZE_NAMESPACE_H
#define PRIVATIZE_NAMESPACE_H

#include <stdint.h>

/* A variable of a library, by the file and the address in it, that the program has a copy of at an address of the process. */
struct priv_copy {
	const char *library; /* NULL ends a list */
	uint64_t from, to, size;
};

/* Load what the descriptors name into a new namespace, one after the other, and fill the copies before the constructors of any
 * library run. The handle of the second, or NULL with the reason; and the namespace. */
void *priv_namespace_open(int definitions, int program, const struct priv_copy *copies, void **space, char **why);

/* Begin a namespace with the file of definitions, and have ld.so load further files into it. Handles, or NULL with the reason. */
void *priv_namespace_begin(const char *definitions, char **why);
void *priv_namespace_add(void *space, const char *file, char **why);

/* Unload a file that was added: NULL, or the reason why not. */
void *priv_namespace_remove(void *handle);

/* What ld.so has added to the addresses in a file. */
uint64_t priv_bias(void *handle);

/* Run the destructors of a library of a namespace. It stays where it is. */
void priv_library_end(void *space, const char *path);

/* Flush the streams of the C library that a handle leads to. */
void priv_streams_flush(void *handle);

/* The function that the program's relocation calls for that, and a word for its result. */
uint64_t priv_copy_function(void);
extern uint64_t priv_copy_result;

/* Make std::cout and its kin in a C++ library that is loaded: programs get copies of them. */
void priv_streams_start(void *library);

/* The address of a symbol in a handle; 0 when there is none. */
uint64_t priv_symbol(void *handle, const char *name);

#endif
