/* What libraries get from the runtime that ld.so has loaded for programs under the methods fs and pip. Unlike a program they run on
 * the PE stack too: their constructors while a rank is placed, their destructors at the end of the worker. No rank runs then. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vrank/core/pin.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/bindings.h"
#include "vrank/libc/ldso_libs.h"
#include "vrank/libc/life.h"
#include "vrank/libc/shared_memory.h"

void vr_exit(int code);

/* ---- C++, under fs ---- */

static int is_full(struct vr_rank *r)
{
	vr_rank_pin(r, "its heap is full, and objects of C++ are in the worker's");
	return 0;
}

/* operator new: in the rank's slice, or in that of the C library where no rank runs. It cannot throw: memory that is short ends the job. */
static void *cxx_new(size_t n)
{
	struct vr_rank *r = vr_current;
	void *p = r ? vr_bind_malloc(n ? n : 1) : NULL;
	if (!p && (!r || !is_full(r)))
		p = vr_shared_malloc(n ? n : 1);
	if (!p)
		abort();
	return p;
}

static void *cxx_new_aligned(size_t n, size_t align)
{
	struct vr_rank *r = vr_current;
	void *p = r ? vr_bind_memalign(align, n ? n : 1) : NULL;
	if (!p && (!r || !is_full(r)))
		p = vr_shared_memalign(align, n ? n : 1);
	if (!p)
		abort();
	return p;
}

/* The exceptions that a thread has caught and is about to throw: those of a rank are its own. */
static void *cxx_globals(void)
{
	static __thread struct vr_cxx_globals mine;
	struct vr_rank *r = vr_current;
	return r && !vr_thread ? &r->cxx : &mine;
}

/* ---- the C library's ---- */

/* What strtok looks at next is in the slice of the rank that has called it. */
static char *own_strtok(char *text, const char *delimiters)
{
	static char *mine;
	return strtok_r(text, delimiters, vr_current ? &vr_current->strtok_at : &mine);
}

/* ---- threads that libraries start for a rank ---- */

static int library_thread(void *thread, const void *attr, void *(*fn)(void *), void *arg)
{
	return vr_current ? vr_bind_pthread_create(thread, attr, fn, arg) : pthread_create(thread, attr, fn, arg);
}

static int library_join(uint64_t thread, void **result)
{
	return vr_current ? vr_bind_pthread_join(thread, result) : pthread_join(thread, result);
}

const struct vr_binding vr_shared_library_bindings[] = {
	{"strtok", own_strtok},
	{"pthread_create", library_thread},
	{"pthread_join", library_join},
	{"__cxa_get_globals", cxx_globals},
	{"__cxa_get_globals_fast", cxx_globals},
	{"_Znwm", cxx_new},
	{"_Znam", cxx_new},
	{"_ZnwmRKSt9nothrow_t", cxx_new},
	{"_ZnamRKSt9nothrow_t", cxx_new},
	{"_ZnwmSt11align_val_t", cxx_new_aligned},
	{"_ZnamSt11align_val_t", cxx_new_aligned},
	{"_ZnwmSt11align_val_tRKSt9nothrow_t", cxx_new_aligned},
	{"_ZnamSt11align_val_tRKSt9nothrow_t", cxx_new_aligned},
	{"_ZdlPv", vr_ldso_free},
	{"_ZdaPv", vr_ldso_free},
	{"_ZdlPvm", vr_ldso_free},
	{"_ZdaPvm", vr_ldso_free},
	{"_ZdlPvRKSt9nothrow_t", vr_ldso_free},
	{"_ZdaPvRKSt9nothrow_t", vr_ldso_free},
	{"_ZdlPvSt11align_val_t", vr_ldso_free},
	{"_ZdaPvSt11align_val_t", vr_ldso_free},
	{"_ZdlPvmSt11align_val_t", vr_ldso_free},
	{"_ZdaPvmSt11align_val_t", vr_ldso_free},
	{0, 0},
};

/* ---- namespaces ---- */

/* A library's exit() ends its rank alone. */
static void library_exit(int code)
{
	if (vr_current)
		vr_exit(code);
	_exit(code);
}

static void library_exit_now(int code)
{
	if (vr_current)
		vr_rank_exit(code);
	_exit(code);
}

static ssize_t library_write(int fd, const void *data, size_t n)
{
	return vr_current ? vr_bind_write(fd, data, n) : write(fd, data, n);
}

static ssize_t library_read(int fd, void *data, size_t n)
{
	return vr_current ? vr_bind_read(fd, data, n) : read(fd, data, n);
}

/* What libraries in any namespace get. */
const struct vr_binding vr_library_bindings[] = {
	{"exit", library_exit},
	{"_exit", library_exit_now},
	{"_Exit", library_exit_now},
	{"write", library_write},
	{"read", library_read},
	{0, 0},
};

/* The C libraries of all namespaces would keep the values of their keys in one place, the thread's. Those of a rank's own libraries are the
 * rank's. */
const struct vr_binding vr_namespace_library_bindings[] = {
	{"pthread_create", library_thread},
	{"pthread_join", library_join},
	{"pthread_key_create", vr_bind_pthread_key_create},
	{"pthread_key_delete", vr_bind_pthread_key_delete},
	{"pthread_getspecific", vr_bind_pthread_getspecific},
	{"pthread_setspecific", vr_bind_pthread_setspecific},
	{"__pthread_key_create", vr_bind_pthread_key_create},
	{"__pthread_getspecific", vr_bind_pthread_getspecific},
	{"__pthread_setspecific", vr_bind_pthread_setspecific},
	{0, 0},
};

/* Those of libraries that ranks share are the thread's. Their memory is looked at before a rank leaves. */
const struct vr_binding vr_shared_only_bindings[] = {
	{"pthread_key_create", pthread_key_create},
	{"pthread_key_delete", pthread_key_delete},
	{"pthread_getspecific", pthread_getspecific},
	{"pthread_setspecific", pthread_setspecific},
	{"__pthread_key_create", pthread_key_create},
	{"__pthread_getspecific", pthread_getspecific},
	{"__pthread_setspecific", pthread_setspecific},
	{"malloc", vr_shared_malloc},
	{"calloc", vr_shared_calloc},
	{"realloc", vr_ldso_library_realloc},
	{"free", vr_ldso_free},
	{"memalign", vr_shared_memalign},
	{"aligned_alloc", vr_shared_memalign},
	{"posix_memalign", vr_shared_posix_memalign},
	{0, 0},
};
