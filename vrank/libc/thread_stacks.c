/* How large the stacks of threads are. A thread's stack has its thread-local block in it, which in this executable is larger than
 * anywhere else (tls.c), so what is asked for is too little by that much: what the C library takes from the limit of the stack may not
 * even hold the block, nor may what a library asks for. So the default does not depend on the limit, and what callers ask for is added to. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "internal/rlimits/rlimits.h"
#include "vrank/core/tls.h"
#include "vrank/libc/thread_stacks.h"

#define USUAL (8ul << 20) /* what threads have where nobody has set a limit */

typedef int create_function(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

static create_function *next_create;

void vr_thread_default(int (*set)(const pthread_attr_t *), size_t more)
{
	pthread_attr_t usual;
	pthread_attr_init(&usual);
	pthread_attr_setstacksize(&usual, USUAL + more);
	if (set)
		set(&usual);
	pthread_attr_destroy(&usual);
}

static void set_default(void)
{
	vr_thread_default(pthread_setattr_default_np, vr_tls_reserve_size());
}

/* Before the constructors of libraries, which may start threads, and long before Go does. */
__attribute__((section(".preinit_array"), used)) static void (*const before_all)(void) = set_default;

/* An address of the caller's own that has no room for the block gets a substitute. */
static void make_room(pthread_attr_t *a)
{
	size_t size, more = vr_tls_reserve_size();
	void *low;
	int detached;
	if (pthread_attr_getstack(a, &low, &size) || !size)
		return; /* the default */
	if ((uint64_t)low + size) { /* it has set an address */
		if (size >= 2 * more + (size_t)sysconf(_SC_THREAD_STACK_MIN))
			return;
		pthread_attr_getdetachstate(a, &detached);
		pthread_attr_init(a);
		pthread_attr_setdetachstate(a, detached);
	}
	pthread_attr_setstacksize(a, size + more);
}

/* As the executable's definition this comes before the C library's, for all libraries of the process. */
int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*fn)(void *), void *arg)
{
	create_function *create = __atomic_load_n(&next_create, __ATOMIC_RELAXED);
	pthread_attr_t mine;
	if (!create) {
		create = (create_function *)dlsym(RTLD_NEXT, "pthread_create");
		__atomic_store_n(&next_create, create, __ATOMIC_RELAXED);
	}
	if (!create)
		return EAGAIN;
	if (attr) {
		mine = *attr; /* what it points to stays the caller's */
		make_room(&mine);
	}
	int error = create(thread, attr ? &mine : NULL, fn, arg);
	rlimits_thread(__builtin_return_address(0), error);
	return error;
}
