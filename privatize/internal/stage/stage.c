#include "stage.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#include "privatize/libpthread/forwards.h"
#include "privatize/libpthread/init.h"

/* The last thread-local variable of this program, so it ends at the thread pointer. */
static __thread char stage_reserve[STAGE_RESERVE] __attribute__((aligned(4096)));

static struct stage *current;
struct stage_object {
	uintptr_t lo, hi, eh;
	ElfW(Phdr) headers[2]; /* unwinders keep their addresses */
};

static struct stage_object objects[4096];
static int nobjects, changes;

static uintptr_t stage_thread_pointer(void)
{
	uintptr_t tp;
	__asm__ volatile("movq %%fs:0x10, %0" : "=r"(tp));
	return tp;
}

static uintptr_t stage_reserve_end(void)
{
	return (uintptr_t)stage_reserve + sizeof(stage_reserve);
}

void stage_objects_add(uintptr_t lo, uintptr_t hi, uintptr_t eh)
{
	struct stage_object *o = &objects[nobjects++];

	*o = (struct stage_object){lo, hi, eh, {{.p_type = PT_LOAD, .p_vaddr = lo, .p_memsz = hi - lo}, {.p_type = PT_GNU_EH_FRAME, .p_vaddr = eh}}};
	changes++;
}

void stage_objects_clear(void)
{
	nobjects = 0;
	changes++;
}

static void stage_leave(struct stage *s)
{
	swapcontext(&s->rank, s->host);
}

static void stage_yield(void)
{
	current->yields++;
	stage_leave(current);
}

static void stage_exit(int status)
{
	struct stage *s = current;

	while (s->nexits > 0) {
		s->nexits--;
		s->exits[s->nexits].fn(s->exits[s->nexits].arg);
	}
	for (int i = 0; i < s->nfinis; i++)
		((void (*)(void))s->finis[i])();
	((int (*)(void *))s->fflush)(NULL);
	s->status = status;
	s->done = 1;
	stage_leave(s);
}

static void stage_run(void)
{
	struct stage *s = current;

	if (s->early_init) /* ld.so has not done it */
		((void (*)(int))s->early_init)(1);
	((void (*)(void))s->ctype_init)();
	for (int i = 0; i < s->ncalls; i++)
		if (s->calls[i] - s->threads < s->threads_size)
			priv_libpthread_init(s->calls[i], s->argc, s->argv, s->envp, s->base, s->size);
		else
			((void (*)(int, char **, char **))s->calls[i])(s->argc, s->argv, s->envp);
	stage_exit(((int (*)(int, char **, char **))s->main)(s->argc, s->argv, s->envp));
}

void stage_init(struct stage *s, char *stack, size_t stack_size)
{
	getcontext(&s->rank);
	s->rank.uc_stack.ss_sp = stack;
	s->rank.uc_stack.ss_size = stack_size;
	s->rank.uc_link = NULL;
	makecontext(&s->rank, stage_run, 0);
}

/* Runs the rank until it yields or ends, with its thread-local block in place. */
static void stage_switch(struct stage *s)
{
	ucontext_t host;
	char *block = (char *)stage_reserve_end() - s->tls_size;

	memcpy(block, s->tls, s->tls_size);
	s->host = &host;
	current = s;
	swapcontext(&host, &s->rank);
	current = NULL;
	memcpy(s->tls, block, s->tls_size);
}

/* What the thread is asked to do: run a rank, or tell its addresses. */
struct stage_job {
	struct stage *rank;
	uintptr_t thread_pointer, reserve_end;
};

/* Stack protector and pointer guard are the same in every process, or frames and jmp_bufs could not move. */
static __attribute__((optimize("no-stack-protector"))) void *stage_thread(void *arg)
{
	const uint64_t guard = 0x2545f4914f6cdd1d;
	struct stage_job *job = arg;
	uint64_t own_guard;

	__asm__ volatile("movq %%fs:0x30, %0" : "=r"(own_guard));
	priv_libpthread_forwards(own_guard, guard);
	__asm__ volatile("movq %0, %%fs:0x28\n\tmovq %1, %%fs:0x30" : : "r"(0x5bd1e995a3c47f00), "r"(guard));
	job->thread_pointer = stage_thread_pointer();
	job->reserve_end = stage_reserve_end();
	if (job->rank)
		stage_switch(job->rank);
	priv_libpthread_forwards(guard, own_guard);
	__asm__ volatile("movq %0, %%fs:0x30" : : "r"(own_guard));
	return NULL;
}

/* A thread's block is at the top of its stack: with the stack at a fixed address, the thread pointer is the same in
 * every process, and so are the addresses of thread-local variables. */
static int stage_thread_run(struct stage_job *job)
{
	static void *stack;
	const size_t size = 1 << 20;
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (!stack) {
		stack = mmap((void *)0x1f0000000000, size, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
		if (stack == MAP_FAILED)
			return errno;
	}
	pthread_attr_init(&attr);
	pthread_attr_setstack(&attr, stack, size);
	err = pthread_create(&thread, &attr, stage_thread, job);
	pthread_attr_destroy(&attr);
	return err ? err : pthread_join(thread, NULL);
}

int stage_resume(struct stage *s)
{
	struct stage_job job = {.rank = s};

	return stage_thread_run(&job);
}

int stage_reserve_find(uintptr_t *thread_pointer, uintptr_t *reserve_end)
{
	struct stage_job job = {0};
	int err = stage_thread_run(&job);

	*thread_pointer = job.thread_pointer;
	*reserve_end = job.reserve_end;
	return err;
}

static void *stage_memalign(size_t align, size_t size)
{
	struct stage *s = current;
	uintptr_t p = (uintptr_t)s->heap + 16;

	if (align < 16)
		align = 16;
	p = (p + align - 1) & ~(uintptr_t)(align - 1);
	if (size > (size_t)(s->heap_end - (char *)p)) {
		errno = ENOMEM;
		return NULL;
	}
	((size_t *)p)[-1] = size;
	s->heap = (char *)p + size;
	return (void *)p;
}

static void *stage_malloc(size_t size) { return stage_memalign(16, size); }

static void stage_free(void *p) { (void)p; }

static void *stage_calloc(size_t n, size_t size)
{
	void *p = stage_memalign(16, n * size);
	return p ? memset(p, 0, n * size) : NULL;
}

static void *stage_realloc(void *old, size_t size)
{
	void *p = stage_memalign(16, size);

	if (p && old) {
		size_t had = ((size_t *)old)[-1];
		memcpy(p, old, had < size ? had : size);
	}
	return p;
}

static int stage_posix_memalign(void **out, size_t align, size_t size)
{
	*out = stage_memalign(align, size);
	return *out ? 0 : ENOMEM;
}

static int stage_cxa_atexit(void (*fn)(void *), void *arg, void *dso)
{
	struct stage *s = current;

	(void)dso;
	if (s->nexits == STAGE_MAX_EXITS)
		return -1;
	s->exits[s->nexits].fn = fn;
	s->exits[s->nexits++].arg = arg;
	return 0;
}

struct tls_index { uint64_t module, offset; };

static void *stage_tls_get_addr(struct tls_index *i)
{
	return (char *)stage_thread_pointer() - current->tls_offset[i->module] + i->offset;
}

/* Unwinders ask by _dl_find_object since glibc 2.35, by dl_iterate_phdr before. */
#if __GLIBC_PREREQ(2, 35)
static int stage_find_object(void *pc, struct dl_find_object *out)
{
	for (int i = 0; i < nobjects; i++) {
		struct stage_object *o = &objects[i];
		if ((uintptr_t)pc < o->lo || (uintptr_t)pc >= o->hi)
			continue;
		memset(out, 0, sizeof(*out));
		out->dlfo_map_start = (void *)o->lo;
		out->dlfo_map_end = (void *)o->hi;
		out->dlfo_eh_frame = (void *)o->eh;
		return 0;
	}
	return _dl_find_object(pc, out);
}
#endif

static int stage_iterate_phdr(int (*callback)(struct dl_phdr_info *info, size_t size, void *data), void *data)
{
	for (int i = 0; i < nobjects; i++) {
		struct dl_phdr_info info = {.dlpi_name = "", .dlpi_phdr = objects[i].headers, .dlpi_phnum = 2, .dlpi_adds = (unsigned long long)changes};
		int stop = callback(&info, sizeof(info), data);
		if (stop)
			return stop;
	}
	return dl_iterate_phdr(callback, data);
}

static const struct { const char *name; void *fn; } symbols[] = {
	{"malloc", stage_malloc}, {"free", stage_free}, {"calloc", stage_calloc}, {"realloc", stage_realloc},
	{"memalign", stage_memalign}, {"aligned_alloc", stage_memalign}, {"posix_memalign", stage_posix_memalign},
	{"exit", stage_exit}, {"_exit", stage_exit}, {"__cxa_atexit", stage_cxa_atexit},
	{"__cxa_thread_atexit_impl", stage_cxa_atexit}, {"__tls_get_addr", stage_tls_get_addr},
	{"dl_iterate_phdr", stage_iterate_phdr}, {"stage_yield", stage_yield}, {"stage_yield_", stage_yield},
#if __GLIBC_PREREQ(2, 35)
	{"_dl_find_object", stage_find_object},
#endif
};

uintptr_t stage_symbol(const char *name)
{
	for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (strcmp(symbols[i].name, name) == 0)
			return (uintptr_t)symbols[i].fn;
	return 0;
}
