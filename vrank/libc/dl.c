/* dlopen and kin. Go finds, relocates and maps libraries while the rank waits; constructors run here, on the stack of
 * the caller, which may be a thread that the rank has started. */
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "vrank/core/fiber.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/library.h"
#include "vrank/libc/objects.h"

static char *text_of(struct vr_rank *r)
{
	if (!r->dl_text)
		r->dl_text = vr_rank_alloc(r, VR_DL_ROOM);
	return r->dl_text;
}

static void *fail(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
static void *fail(const char *fmt, ...)
{
	struct vr_rank *r = vr_current;
	va_list args;
	va_start(args, fmt);
	if (text_of(r))
		vsnprintf(r->dl_text, VR_DL_ROOM, fmt, args);
	va_end(args);
	r->dl_failed = 1;
	return NULL;
}

/* A call of Go. */
struct served {
	int fn, nargs;
	uint64_t *args, result;
};

/* Rank stack. */
static void serve_here(void *arg)
{
	struct served *s = arg;
	struct vr_call *c = &vr_context->call;
	c->fn = s->fn;
	c->args = s->args;
	c->nargs = s->nargs;
	c->ret = 0;
	vr_rank_leave(VR_SERVE);
	s->result = (uint64_t)c->ret;
}

static uint64_t serve(int fn, uint64_t *args, int n)
{
	struct served s = {fn, n, args, 0};
	if (vr_thread)
		vr_thread_delegate(serve_here, &s);
	else
		serve_here(&s);
	return s.result;
}

static void *open_library(const char *name, int mode, void *caller)
{
	struct vr_rank *r = vr_current;
	struct vr_library *first = NULL;
	if (!(mode & (RTLD_LAZY | RTLD_NOW)))
		return fail("%s: invalid mode for dlopen(): Invalid argument", name ? name : "");
	char *text = text_of(r);
	if (!text)
		return fail("out of memory");
	text[0] = 0;
	uint64_t args[] = {(uint64_t)(name ? name : ""), mode, (uint64_t)caller, (uint64_t)&first, (uint64_t)text, VR_DL_ROOM};
	void *handle = (void *)serve(VR_FN_OPEN, args, 6);
	if (!handle)
		r->dl_failed = text[0] != 0; /* RTLD_NOLOAD fails without an error */
	vr_libraries_start(first);
	return handle;
}

void *vr_bind_dlopen(const char *name, int mode)
{
	return open_library(name, mode, __builtin_return_address(0));
}

void *vr_bind_dlmopen(long space, const char *name, int mode)
{
	if (space != LM_ID_BASE)
		return fail("%s: dlmopen: a rank has no namespaces but its own (LM_ID_BASE)", name ? name : "");
	return open_library(name, mode, __builtin_return_address(0));
}

static struct vr_library *library_of(void *handle)
{
	for (struct vr_library *l = vr_library_owner(vr_current)->libraries; l; l = l->next)
		if (l == handle)
			return l;
	return NULL;
}

/* Libraries stay until the rank ends, as the C library musl has it: their code may still be needed. */
int vr_bind_dlclose(void *handle)
{
	struct vr_library *l = library_of(handle);
	if (!l || l->refs <= 0) {
		fail("dlclose: %p is not the handle of an open library", handle);
		return -1;
	}
	if (!--l->refs)
		serve(VR_FN_CLOSE, NULL, 0);
	return 0;
}

char *vr_bind_dlerror(void)
{
	struct vr_rank *r = vr_current;
	int failed = r->dl_failed;
	r->dl_failed = 0;
	return !failed ? NULL : r->dl_text ? r->dl_text : "out of memory";
}

static void *lookup(void *handle, const char *name, const char *version, void *caller)
{
	uint64_t module = 0, found = 0;
	if (handle != RTLD_DEFAULT && handle != RTLD_NEXT && !library_of(handle))
		return fail("dlsym: %p is not the handle of an open library", handle);
	uint64_t args[] = {(uint64_t)name, (uint64_t)version, (uint64_t)handle, (uint64_t)caller, (uint64_t)&module, (uint64_t)&found};
	uint64_t address = serve(VR_FN_SYMBOL, args, 6);
	if (!found)
		return fail("undefined symbol: %s", name);
	return module ? (char *)vr_library_tls(module) + address : (void *)address;
}

void *vr_bind_dlvsym(void *handle, const char *name, const char *version)
{
	return lookup(handle, name, version, __builtin_return_address(0));
}

void *vr_bind_dlsym(void *handle, const char *name)
{
	return lookup(handle, name, NULL, __builtin_return_address(0));
}

int vr_bind_dlinfo(void *handle, int request, void *out)
{
	struct vr_library *l = library_of(handle);
	if (!l) {
		fail("dlinfo: %p is not the handle of an open library", handle);
		return -1;
	}
	const char *slash = strrchr(l->object.name, '/');
	switch (request) {
	case RTLD_DI_LMID:
		*(Lmid_t *)out = LM_ID_BASE;
		return 0;
	case RTLD_DI_LINKMAP:
		*(struct link_map **)out = &l->link;
		return 0;
	case RTLD_DI_ORIGIN:
		sprintf(out, "%.*s", (int)(slash ? slash - l->object.name : 0), l->object.name);
		return 0;
	case RTLD_DI_TLS_MODID:
		*(size_t *)out = l->object.tls_module;
		return 0;
	case RTLD_DI_TLS_DATA:
		*(void **)out = l->object.tls_module ? vr_bind_tls_get_addr((uint64_t[]){l->object.tls_module, 0}) : NULL;
		return 0;
	}
	fail("dlinfo: request %d is not served", request);
	return -1;
}

int vr_bind_dladdr(const void *addr, void *result)
{
	Dl_info *info = result;
	uint64_t images;
	const struct vr_object *o = vr_object_find((uint64_t)addr, &images);
	if (!o)
		return 0;
	*info = (Dl_info){.dli_fname = o->name, .dli_fbase = (void *)(images + o->offset)};
	uint64_t args[] = {(uint64_t)addr, (uint64_t)&info->dli_sname, (uint64_t)&info->dli_saddr};
	if (images == vr_current->images)
		serve(VR_FN_NAME, args, 3);
	return 1;
}

void vr_object_identity(int image, unsigned char out[VR_IDENTITY])
{
	uint64_t args[] = {image, (uint64_t)out};
	memset(out, 0, VR_IDENTITY);
	serve(VR_FN_IDENTITY, args, 2);
}

void vr_object_symbol(uint64_t address, char *out, size_t room)
{
	uint64_t args[] = {address, (uint64_t)out, room};
	out[0] = 0;
	serve(VR_FN_LOCAL_NAME, args, 3);
}
