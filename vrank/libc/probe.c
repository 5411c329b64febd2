/* The self test of heap interception. */
#include "vrank/libc/probe.h"

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "isomalloc/heap.h"
#include "vrank/core/job.h"
#include "vrank/core/pin.h"
#include "vrank/core/progress_hook.h"
#include "vrank/libc/objects.h"

#define AMOUNT (4ul << 20)
#define AMOUNT_CHECKED (64ul << 10) /* a checking heap writes to all that it frees, and keeps it */
#define PART 16 /* of the heap: no more than one part in so many is asked for */
#define ALIGNMENT 4096ul

enum kind {
	MALLOC,
	CALLOC,
	REALLOC,
	MEMALIGN,
	ALIGNED_ALLOC,
	POSIX_MEMALIGN,
	VALLOC,
	NEW,
	NEW_ARRAY,
	NEW_ALIGNED,
	MMAP,
	MMAP64,
	ALLOCATORS, /* those above allocate */
	FREE = ALLOCATORS,
	DELETE,
	DELETE_ARRAY,
	DELETE_ALIGNED,
	MUNMAP,
	MREMAP,
	KINDS,
};

const char *const vr_probe_names[KINDS + 1] = {
	"malloc", "calloc", "realloc", "memalign", "aligned_alloc", "posix_memalign", "valloc",
	"_Znwm", "_Znam", "_ZnwmSt11align_val_t", "mmap", "mmap64",
	"free", "_ZdlPv", "_ZdaPv", "_ZdlPvSt11align_val_t", "munmap", "mremap", NULL,
};

/* What takes back what the first ones give. */
static const enum kind ends[ALLOCATORS] = {FREE, FREE, FREE, FREE, FREE, FREE, FREE, DELETE, DELETE_ARRAY, DELETE_ALIGNED, MUNMAP, MUNMAP};

struct vr_probe vr_probe;

static uint64_t function(const struct vr_probe_slot *s)
{
	return s->word ? *(uint64_t *)(vr_current->images + s->word) : s->address;
}

/* How image calls a function of this kind, or else how another one does. */
static struct vr_probe_slot *slot_of(enum kind kind, int32_t image)
{
	struct vr_probe_slot *any = NULL;
	for (struct vr_probe_slot *s = vr_probe.slots; s < vr_probe.slots + vr_probe.nslots; s++) {
		if (s->kind != (int32_t)kind)
			continue;
		if (s->image == image)
			return s;
		any = any ? any : s;
	}
	return any;
}

/* Another image that calls the same function has been tested. */
static int tested(const struct vr_probe_slot *slot)
{
	for (const struct vr_probe_slot *s = vr_probe.slots; s < slot; s++)
		if (s->kind == slot->kind && function(s) == function(slot))
			return 1;
	return 0;
}

static int maps(const struct vr_probe_slot *s)
{
	return s->kind == MMAP || s->kind == MMAP64;
}

/* The object whose functions both are, or the runtime for both. */
static int same_provider(const struct vr_probe_slot *a, const struct vr_probe_slot *b)
{
	uint64_t images;
	return vr_object_find(function(a), &images) == vr_object_find(function(b), &images);
}

/* What takes back what a function gives; NULL when none does. A program may bring malloc and free and not, say, aligned_alloc: as
 * long as it does not call that, all is well, and it shall be here. */
static struct vr_probe_slot *end_of(const struct vr_probe_slot *s)
{
	struct vr_probe_slot *end = slot_of(ends[s->kind], s->image);
	if (!end || maps(s))
		return end;
	if (s->kind == NEW_ALIGNED) {
		const struct vr_probe_slot *gives = slot_of(ALIGNED_ALLOC, s->image), *takes = slot_of(FREE, s->image);
		if (!gives || !takes || !same_provider(gives, takes))
			return NULL;
	}
	return same_provider(s, end) ? end : NULL;
}

static void *map(uint64_t f, size_t n)
{
	void *p = ((void *(*)(void *, size_t, int, int, int, long))f)(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static void *allocate(enum kind kind, uint64_t f, size_t n)
{
	void *p = NULL;
	switch (kind) {
	case CALLOC:
		return ((void *(*)(size_t, size_t))f)(n / 16, 16);
	case REALLOC:
		return ((void *(*)(void *, size_t))f)(NULL, n);
	case MEMALIGN:
	case ALIGNED_ALLOC:
		return ((void *(*)(size_t, size_t))f)(ALIGNMENT, n);
	case NEW_ALIGNED:
		return ((void *(*)(size_t, size_t))f)(n, ALIGNMENT);
	case POSIX_MEMALIGN:
		return ((int (*)(void **, size_t, size_t))f)(&p, ALIGNMENT, n) ? NULL : p;
	case MMAP:
	case MMAP64:
		return map(f, n);
	default:
		return ((void *(*)(size_t))f)(n);
	}
}

/* Makes the block longer where it has a function for that. Then `slot` is the function that has given it. */
static void *grow(struct vr_probe_slot **slot, void *p, size_t n)
{
	struct vr_probe_slot *s = *slot;
	void *q = NULL;
	if (s->kind == REALLOC) {
		q = ((void *(*)(void *, size_t))function(s))(p, 2 * n);
	} else if (maps(s) && (s = slot_of(MREMAP, s->image)) != NULL) {
		q = ((void *(*)(void *, size_t, size_t, int))function(s))(p, n, 2 * n, MREMAP_MAYMOVE);
		*slot = q == MAP_FAILED || q == NULL ? *slot : s;
		q = q == MAP_FAILED ? NULL : q;
	}
	return q;
}

static void release(const struct vr_probe_slot *end, void *p, size_t n)
{
	if (end->kind == MUNMAP)
		((int (*)(void *, size_t))function(end))(p, n);
	else if (end->kind == DELETE_ALIGNED)
		((void (*)(void *, size_t))function(end))(p, ALIGNMENT);
	else
		((void (*)(void *))function(end))(p);
}

/* What the heap counts as the program's. */
static size_t held(int mapped)
{
	struct iso_heap_stats s;
	iso_heap_stats(vr_current->heap, &s);
	return mapped ? s.mapped : s.used;
}

/* Tests one function: bits of the level that do not hold. */
static int test(struct vr_probe_slot *slot, size_t n, int checked)
{
	int mapped = maps(slot), all = mapped ? VR_HEAP_MUNMAP : VR_HEAP_FREE | VR_HEAP_CHUNK;
	struct vr_probe_slot *end = end_of(slot), *giver = slot;
	if (!end)
		return 0;
	size_t before = held(mapped);
	void *p = allocate(slot->kind, function(slot), mapped ? 2 * n : n);
	if (!p) {
		slot->missed = 1;
		return all;
	}
	if (mapped) /* so it has room to grow where it is, and no pages need be copied */
		release(end, (char *)p + n, n);
	void *longer = grow(&giver, p, n);
	if (longer)
		p = longer, n *= 2;
	int inside = iso_heap_owns(vr_current->heap, p), seen = held(mapped) >= before + n;
	release(end, p, n);
	if (!inside) {
		giver->missed = 1;
		return all;
	}
	if (seen && !checked && held(mapped) >= before + n / 2) {
		end->missed = 1;
		return all & ~VR_HEAP_CHUNK;
	}
	return seen ? 0 : all & ~VR_HEAP_CHUNK;
}

/* Ranks whose heap is elsewhere stay where they are. All of the worker run the same program. */
static void pin_all(const struct vr_probe_slot *missed)
{
	for (struct vr_rank *r = vr_pe->all; r; r = r->all_next)
		vr_rank_pin(r, "its heap is not in its slice: %s gives other memory", vr_probe_names[missed->kind]);
}

void vr_probe_run(void)
{
	const struct vr_layout *l = &vr_job->layout;
	int checked = iso_heap_is_checking(vr_current->heap), lost = 0;
	size_t n = checked ? AMOUNT_CHECKED : AMOUNT;
	if (n > l->heap_size / PART)
		n = l->heap_size / PART & -ALIGNMENT;
	vr_probe.wanted = 0;
	vr_progress_hooks_hold(); /* and so no interruption: what is found lies in this process */
	for (struct vr_probe_slot *s = vr_probe.slots; s < vr_probe.slots + vr_probe.nslots; s++)
		if (s->kind < ALLOCATORS && !tested(s))
			lost |= test(s, n, checked);
	vr_progress_hooks_release();
	if (!checked)
		iso_heap_trim(vr_current->heap);
	vr_probe.level = (lost & VR_HEAP_FREE ? lost & VR_HEAP_CHUNK ? 0 : VR_HEAP_CHUNK : VR_HEAP_FREE) | (lost & VR_HEAP_MUNMAP ? 0 : VR_HEAP_MUNMAP);
	vr_probe.done = 1;
	for (struct vr_probe_slot *s = vr_probe.slots; s < vr_probe.slots + vr_probe.nslots; s++)
		if (s->missed && (s->kind < ALLOCATORS || s->kind == MREMAP))
			pin_all(s);
}
