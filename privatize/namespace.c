#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "namespace.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

uint64_t priv_copy_result;

/* What priv_copy_fill works on: ld.so calls it without arguments. */
static const struct priv_copy *copies;
static const struct link_map *first;

static int is_file(const char *a, const char *b)
{
	struct stat x, y;
	return !strcmp(a, b) || (!stat(a, &x) && !stat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino);
}

static const struct link_map *find_object(const char *path)
{
	const struct link_map *m = first;
	while (m && !is_file(m->l_name, path))
		m = m->l_next;
	return m;
}

/* Called while ld.so relocates the program, after all of its libraries. */
static uint64_t priv_copy_fill(void)
{
	for (const struct priv_copy *c = copies; c->library; c++) {
		const struct link_map *m = find_object(c->library);
		if (m)
			memcpy((void *)c->to, (const void *)(m->l_addr + c->from), c->size);
	}
	return 0;
}

uint64_t priv_copy_function(void)
{
	return (uint64_t)priv_copy_fill;
}

static void *open_in(Lmid_t space, int fd)
{
	char path[64];
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	return dlmopen(space, path, RTLD_NOW | RTLD_LOCAL);
}

void *priv_namespace_open(int definitions, int program, const struct priv_copy *list, void **space, char **why)
{
	Lmid_t id;
	void *handle = *space = open_in(LM_ID_NEWLM, definitions);
	*why = NULL;
	if (handle && !dlinfo(handle, RTLD_DI_LMID, &id)) {
		first = handle; /* dlopen(3): a handle is the object's link_map */
		copies = list;
		handle = open_in(id, program);
	}
	if (!handle)
		*why = dlerror();
	return handle;
}

void *priv_namespace_begin(const char *definitions, char **why)
{
	void *space = dlmopen(LM_ID_NEWLM, definitions, RTLD_NOW | RTLD_LOCAL);
	*why = space ? NULL : dlerror();
	return space;
}

void *priv_namespace_add(void *space, const char *file, char **why)
{
	Lmid_t id;
	void *handle = dlinfo(space, RTLD_DI_LMID, &id) ? NULL : dlmopen(id, file, RTLD_NOW | RTLD_LOCAL);
	*why = handle ? NULL : dlerror();
	return handle;
}

void *priv_namespace_remove(void *handle)
{
	return dlclose(handle) ? dlerror() : NULL;
}

uint64_t priv_bias(void *handle)
{
	return ((const struct link_map *)handle)->l_addr; /* dlopen(3): a handle is the object's link_map */
}

/* What ld.so would run at the end of a process. */
static void run_destructors(const struct link_map *m)
{
	const ElfW(Addr) *array = NULL;
	size_t n = 0;
	void (*last)(void) = NULL;
	for (const ElfW(Dyn) *d = m->l_ld; d->d_tag != DT_NULL; d++) {
		if (d->d_tag == DT_FINI_ARRAY)
			array = (const ElfW(Addr) *)(m->l_addr + d->d_un.d_ptr);
		else if (d->d_tag == DT_FINI_ARRAYSZ)
			n = d->d_un.d_val / sizeof *array;
		else if (d->d_tag == DT_FINI)
			last = (void (*)(void))(m->l_addr + d->d_un.d_ptr);
	}
	while (array && n--)
		((void (*)(void))array[n])();
	if (last)
		last();
}

void priv_library_end(void *space, const char *path)
{
	first = space;
	const struct link_map *m = find_object(path);
	if (m)
		run_destructors(m);
}

void priv_streams_flush(void *handle)
{
	int (*flush)(FILE *) = (int (*)(FILE *))priv_symbol(handle, "fflush");
	if (flush)
		flush(NULL);
}

void priv_streams_start(void *library)
{
	static char object[16];
	void (*start)(void *) = (void (*)(void *))dlsym(library, "_ZNSt8ios_base4InitC1Ev");
	if (start)
		start(object);
}

uint64_t priv_symbol(void *handle, const char *name)
{
	return (uint64_t)dlsym(handle, name);
}
