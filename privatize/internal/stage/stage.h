#ifndef STAGE_H
#define STAGE_H

#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

enum { STAGE_MAX_OBJECTS = 64, STAGE_MAX_CALLS = 512, STAGE_RESERVE = 64 * 1024, STAGE_MAX_EXITS = 256 };

/* One rank of a test. It lives at the start of its slice, so another process that maps the slice can go on with it. */
struct stage {
	ucontext_t rank;
	ucontext_t *host;
	uintptr_t main, early_init, ctype_init, fflush;
	uintptr_t calls[STAGE_MAX_CALLS];
	int ncalls;
	uintptr_t threads, threads_size; /* the image of libpthread.so.0, or 0 */
	uintptr_t base, size;            /* the slice */
	uintptr_t finis[STAGE_MAX_CALLS];
	int nfinis;
	int argc;
	char **argv, **envp;
	int done, status;
	long yields;
	size_t tls_size;
	char *tls;                             /* the rank's block while it does not run */
	uint64_t tls_offset[STAGE_MAX_OBJECTS];
	char *heap, *heap_end;
	struct { void (*fn)(void *); void *arg; } exits[STAGE_MAX_EXITS];
	int nexits;
};

void stage_init(struct stage *s, char *stack, size_t stack_size);
int stage_resume(struct stage *s);
int stage_reserve_find(uintptr_t *thread_pointer, uintptr_t *reserve_end);
void stage_objects_add(uintptr_t lo, uintptr_t hi, uintptr_t eh);
void stage_objects_clear(void);
uintptr_t stage_symbol(const char *name);

#endif
