/* Libraries that ranks open at run time. The job gives each one place, counted from the image area, that it has in the slice of every rank
 * that opens it; the ranks' own lists lie in their slices. */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "isomalloc/heap.h"
#include "vrank/core/output.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/tls.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/library.h"
#include "vrank/libc/life.h"
#include "vrank/libc/objects.h"

#define ALIGN_UP(x, a) (((x) + (a) - 1) & ~((uint64_t)(a) - 1))

/* ---- places ---- */

static struct vr_library_entry *registered(const struct vr_library_facts *f)
{
	for (struct vr_library_entry *s = vr_job->library_registry.first; s; s = s->next)
		if (!strcmp(s->path, f->path) && !memcmp(s->identity, f->identity, VR_IDENTITY))
			return s;
	return NULL;
}

/* Thread-local variables: a fixed block if the code needs one and there is room, as privatize lays out those of the program. */
static const char *place_tls(struct vr_library_entry *s, const struct vr_library_facts *f, uint64_t limit)
{
	struct vr_library_registry *h = &vr_job->library_registry;
	if (!f->has_tls)
		return NULL;
	if (h->modules + 1 >= VR_TLS_MODULES)
		return "too many libraries with thread-local variables";
	s->module = ++h->modules;
	if (!f->static_tls || vr_pe->tp % f->tls_align)
		return NULL;
	uint64_t used = ALIGN_UP(h->tls_used + f->tls_size - f->tls_skew, f->tls_align) + f->tls_skew;
	if (used <= limit)
		h->tls_used = s->tls_offset = used;
	return NULL;
}

static struct vr_library_entry *place(const struct vr_library_facts *f, uint64_t limit, const char **why)
{
	struct vr_library_registry *h = &vr_job->library_registry;
	const struct vr_layout *l = &vr_job->layout;
	uint64_t slack = l->images_align, align = f->align < 4096 ? 4096 : f->align;
	uint64_t first = vr_images_of(0), at = ALIGN_UP(vr_job->slices + l->libraries + slack + h->used, align) - first;
	uint64_t end = at + ALIGN_UP(f->size, 4096) - (l->libraries - l->images);
	*why = "no room in the slice for more libraries: raise +slice";
	if (end + slack > l->libraries_size)
		return NULL;
	struct vr_library_entry *s = vr_arena_alloc(sizeof *s + strlen(f->path) + 1);
	if (!s)
		return NULL;
	if ((*why = place_tls(s, f, limit)))
		return NULL;
	strcpy(s->path, f->path);
	memcpy(s->identity, f->identity, VR_IDENTITY);
	s->offset = at;
	h->used = end;
	s->next = h->first;
	h->first = s;
	return s;
}

const struct vr_library_entry *vr_library_place(const struct vr_library_facts *f, int first_module, uint64_t tls_used, uint64_t tls_limit, const char **why)
{
	struct vr_library_registry *h = &vr_job->library_registry;
	while (atomic_exchange_explicit(&h->lock, 1, memory_order_acquire))
		sched_yield();
	if (!h->first && !h->modules) {
		h->modules = first_module;
		h->tls_used = tls_used;
	}
	struct vr_library_entry *s = registered(f);
	if (!s)
		s = place(f, tls_limit, why);
	atomic_store_explicit(&h->lock, 0, memory_order_release);
	return s;
}

/* ---- lists of ranks ---- */

struct vr_rank *vr_library_owner(const struct vr_rank *r)
{
	return vr_rank_of((int32_t)((r->images - vr_job->slices) / vr_job->layout.slice_size));
}

int vr_library_threads(const struct vr_rank *r)
{
	return atomic_load(&r->threads);
}

/* Where a fixed block of rank r is right now. */
static char *block_of(const struct vr_rank *r, uint64_t offset)
{
	uint64_t size = vr_job->layout.tls_size;
	return !size || vr_loaded == r ? (char *)vr_pe->tp - offset : (char *)r - offset;
}

void vr_library_adopt(const struct vr_library *l)
{
	uint64_t live = ALIGN_UP(l->tls_offset, 64);
	if (vr_job->layout.tls_size && live > vr_tls_live)
		vr_tls_live = live;
}

static void add_tls(struct vr_rank *r, struct vr_library *l)
{
	if (!l->tls_offset)
		return;
	vr_library_adopt(l);
	memcpy(block_of(r, l->tls_offset), (char *)r->images + l->object.tls_image, l->object.tls_filesz);
	for (struct vr_rank *other = vr_pe->all; other; other = other->all_next)
		if (other->images == r->images)
			other->tls_offset[l->object.tls_module] = l->tls_offset;
}

void vr_library_add(struct vr_rank *r, struct vr_library *l)
{
	struct vr_rank *owner = vr_library_owner(r);
	l->link.l_addr = r->images + l->object.bias;
	l->link.l_name = (char *)l->object.name;
	l->link.l_ld = (void *)(r->images + l->object.dynamic);
	l->link.l_prev = owner->last_library ? &owner->last_library->link : NULL;
	add_tls(r, l);
	if (owner->last_library) {
		owner->last_library->link.l_next = &l->link;
		__atomic_store_n(&owner->last_library->next, l, __ATOMIC_RELEASE); /* threads of the rank may be reading */
	} else {
		__atomic_store_n(&owner->libraries, l, __ATOMIC_RELEASE);
	}
	owner->last_library = l;
	owner->library_changes++;
}

/* ---- on the rank's stack ---- */

void vr_libraries_start(struct vr_library *l)
{
	struct vr_rank *me = vr_current, *owner = vr_library_owner(me);
	for (; l; l = l->init_next) {
		if (l->started)
			continue;
		l->started = 1;
		l->fini_next = owner->finis;
		owner->finis = l;
		for (uint32_t i = 0; i < l->ninits; i++)
			((void (*)(int, char **, char **))l->inits[i])(me->argc, me->argv, me->envp);
	}
}

void vr_libraries_end(void)
{
	struct vr_rank *me = vr_current;
	if (vr_library_owner(me) != me)
		return;
	while (me->finis) {
		struct vr_library *l = me->finis;
		me->finis = l->fini_next;
		for (uint32_t i = 0; i < l->nfinis; i++)
			((void (*)(void))l->finis[i])();
	}
}

void vr_library_undefined(void)
{
	uint64_t images, pc = (uint64_t)__builtin_return_address(0);
	const struct vr_object *o = vr_object_find(pc, &images);
	const char *name = o ? o->name : "a library";
	vr_out_printf(vr_current->id, 2, "ampirun: rank %d: %s: symbol lookup error: it calls a function that nobody defines (opened with RTLD_LAZY)\n",
		      vr_current->id, name);
	vr_rank_exit(127);
}

/* ---- thread-local blocks without a fixed place ---- */

static const struct vr_library *library_of_module(uint64_t module)
{
	for (const struct vr_library *l = vr_library_owner(vr_current)->libraries; l; l = l->next)
		if (l->image < 0 && l->object.tls_module == module)
			return l;
	return NULL;
}

void *vr_library_tls(uint64_t module)
{
	struct vr_rank *me = vr_current;
	char ***blocks = vr_thread ? &vr_thread->tls_blocks : &vr_library_owner(me)->tls_blocks;
	if (vr_likely(*blocks && (*blocks)[module]))
		return (*blocks)[module];
	const struct vr_library *l = library_of_module(module);
	if (!*blocks)
		*blocks = vr_rank_calloc(me, VR_TLS_MODULES, sizeof **blocks);
	char *block = *blocks && l ? iso_heap_memalign(me->heap, l->tls_align < 16 ? 16 : l->tls_align, l->tls_size) : NULL;
	if (!block) {
		vr_out_printf(me->id, 2, "ampirun: rank %d: no memory for thread-local variables: raise +slice\n", me->id);
		vr_rank_exit(127);
	}
	memset(block, 0, l->tls_size);
	memcpy(block, (char *)me->images + l->object.tls_image, l->object.tls_filesz);
	return (*blocks)[module] = block;
}

void vr_library_tls_end(char **blocks)
{
	for (int m = 0; blocks && m < VR_TLS_MODULES; m++)
		vr_rank_free(vr_current, blocks[m]);
	vr_rank_free(vr_current, blocks);
}
