/* dlopen and kin. What was linked with the program is found; loading more objects into a slice is refused, since the host's
 * loader would load them once for all ranks. */
#include <dlfcn.h>
#include <stdio.h>

#include "bind.h"
#include "fiber.h"
#include "life.h"

static void *fail(const char *fmt, const char *name)
{
	struct vr_rank *r = vr_current;
	if (!r->dl_text)
		r->dl_text = vr_rank_alloc(r, VR_DL_ROOM);
	if (r->dl_text)
		snprintf(r->dl_text, VR_DL_ROOM, fmt, name);
	r->dl_failed = 1;
	return NULL;
}

void *vr_bind_dlopen(const char *name, int mode)
{
	(void)mode;
	if (!name)
		return (void *)VR_DL_PROGRAM;
	return fail("%s: dlopen is not served by this version of ampirun; link the library with the program", name);
}

int vr_bind_dlclose(void *handle)
{
	(void)handle;
	return 0;
}

char *vr_bind_dlerror(void)
{
	struct vr_rank *r = vr_current;
	int failed = r->dl_failed;
	r->dl_failed = 0;
	return !failed ? NULL : r->dl_text ? r->dl_text : "out of memory";
}

struct search {
	uint64_t args[3];
	void *found;
};

/* Rank stack. */
static void search(void *arg)
{
	struct search *s = arg;
	struct vr_call *c = &vr_context->call;
	c->fn = VR_FN_SYMBOL;
	c->args = s->args;
	c->nargs = 3;
	c->ret = 0;
	vr_rank_leave(VR_SERVE);
	s->found = (void *)c->ret;
}

static void *lookup(void *handle, const char *name, const char *version, void *caller)
{
	struct search s = {.args = {(uint64_t)name, (uint64_t)version, handle == RTLD_NEXT ? (uint64_t)caller : 0}};
	if (vr_thread)
		vr_thread_delegate(search, &s);
	else
		search(&s);
	return s.found ? s.found : fail("%s: no such symbol in the program and its libraries", name);
}

void *vr_bind_dlvsym(void *handle, const char *name, const char *version)
{
	return lookup(handle, name, version, __builtin_return_address(0));
}

void *vr_bind_dlsym(void *handle, const char *name)
{
	return lookup(handle, name, NULL, __builtin_return_address(0));
}
