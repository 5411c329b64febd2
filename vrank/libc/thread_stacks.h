/* Sizes of threads' stacks, thread_stacks.c. */
#ifndef VRANK_THREAD_STACKS_H
#define VRANK_THREAD_STACKS_H

#include <pthread.h>

/* What threads have whose creator says nothing, to be set by a C library's pthread_setattr_default_np, or NULL; with so
 * many bytes more. */
void vr_thread_default(int (*set)(const pthread_attr_t *), size_t more);

#endif
