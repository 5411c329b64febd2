/* A limit of the stack counts the environment, so little may be left of the initial thread's stack: enough for an ordinary process, but not for the
 * Go runtime. Where the limit is small, main runs on a stack of its own. As in rlimits.c, the executable's definitions come first. */
#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/resource.h>

#define SMALL (1ul << 20)
#define SIZE (512ul << 10)

typedef int main_function(int, char **, char **);
typedef int start_function(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
typedef int getattr_function(pthread_t, pthread_attr_t *);

int __libc_start_main(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);

static main_function *real_main;
static char *stack; /* NULL: the kernel's */
static pthread_t initial;

static int is_small(void)
{
	struct rlimit is;
	return !getrlimit(RLIMIT_STACK, &is) && is.rlim_cur < SMALL;
}

static int call_on(char *top, int argc, char **argv, char **envp)
{
	register char *before __asm__("rbx");
	__asm__ volatile("movq %%rsp, %0\n\tmovq %3, %%rsp\n\tcall *%4\n\tmovq %0, %%rsp"
			 : "=&r"(before), "+D"(argc), "+S"(argv)
			 : "r"(top), "a"(real_main), "d"(envp)
			 : "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
	return 0; /* the Go runtime has ended the process */
}

static int main_with_room(int argc, char **argv, char **envp)
{
	char *low = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (low == MAP_FAILED)
		return real_main(argc, argv, envp);
	initial = pthread_self();
	stack = low;
	return call_on(stack + SIZE, argc, argv, envp);
}

int __libc_start_main(main_function *main, int argc, char **argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void), void *end)
{
	start_function *next = (start_function *)dlsym(RTLD_NEXT, "__libc_start_main");
	if (!next)
		abort();
	real_main = main;
	return next(is_small() ? main_with_room : main, argc, argv, init, fini, rtld_fini, end);
}

/* The Go runtime asks for the bounds. */
int pthread_getattr_np(pthread_t thread, pthread_attr_t *attr)
{
	getattr_function *next = (getattr_function *)dlsym(RTLD_NEXT, "pthread_getattr_np");
	int error = next ? next(thread, attr) : -1;
	if (!error && stack && pthread_equal(thread, initial))
		error = pthread_attr_setstack(attr, stack, SIZE);
	return error;
}
