/* Parts of a rank's memory on which the program has put another protection than reading and writing. Protection belongs to a process,
 * so a rank that leaves takes it off, and puts it on again where it arrives. */
#include <errno.h>
#include <sys/mman.h>

#include "isomalloc/heap.h"
#include "vrank/core/pin.h"
#include "vrank/core/rank_memory.h"
#include "vrank/libc/bind.h"
#include "vrank/libc/file_mapping.h"
#include "vrank/libc/library.h"
#include "vrank/libc/protect.h"

#define PAGE 4096ul
#define PLAIN (PROT_READ | PROT_WRITE)
#define PARTS_MAX 4096 /* two calls of the kernel for each when the rank moves; and a process has 65,530 mappings unless told otherwise */

struct vr_guarded {
	struct vr_guarded *next;
	uint64_t lo, hi;
	int32_t prot;
};

static struct vr_rank *owner(void)
{
	return vr_library_owner(vr_current);
}

static void add(struct vr_rank *r, uint64_t lo, uint64_t hi, int prot)
{
	struct vr_guarded *g = r->nguarded < PARTS_MAX ? vr_rank_alloc(r, sizeof *g) : NULL;
	if (!g) {
		vr_rank_pin(r, "it has protected more than %d parts of its memory", PARTS_MAX);
		return;
	}
	*g = (struct vr_guarded){r->guarded, lo, hi, prot};
	r->guarded = g;
	r->nguarded++;
}

/* Nothing is known of [lo, hi) any more. */
static void cut(struct vr_rank *r, uint64_t lo, uint64_t hi)
{
	for (struct vr_guarded **link = &r->guarded, *g; (g = *link);) {
		uint64_t from = g->lo, to = g->hi;
		if (to <= lo || hi <= from) {
			link = &g->next;
			continue;
		}
		int prot = g->prot;
		*link = g->next;
		r->nguarded--;
		vr_rank_free(r, g);
		if (from < lo)
			add(r, from, lo, prot);
		if (hi < to)
			add(r, hi, to, prot);
		link = &r->guarded; /* what was added stands before; none of it is cut again */
	}
}

void vr_protect_note(void *at, size_t n, int prot)
{
	vr_protect_note_of(owner(), at, n, prot);
}

void vr_protect_note_of(struct vr_rank *r, void *at, size_t n, int prot)
{
	uint64_t lo = (uint64_t)at & -PAGE, hi = ((uint64_t)at + n + PAGE - 1) & -PAGE;
	if (r->guarded)
		cut(r, lo, hi);
	if (prot != PLAIN && lo < hi)
		add(r, lo, hi, prot);
}

void vr_protect_leave(struct vr_rank *r)
{
	for (struct vr_guarded *g = r->guarded; g; g = g->next)
		mprotect((void *)g->lo, g->hi - g->lo, PLAIN);
}

int vr_protect_enter(struct vr_rank *r)
{
	for (struct vr_guarded *g = r->guarded; g; g = g->next)
		if (mprotect((void *)g->lo, g->hi - g->lo, g->prot))
			return -1;
	return 0;
}

int vr_protected_part(const struct vr_rank *r, uint64_t lo, uint64_t hi, struct iso_range *part)
{
	int prot = r->file_mappings ? vr_file_mapping_first(r, lo, hi, part) : -1;
	uint64_t end = prot < 0 ? hi : part->lo, first = end;
	for (const struct vr_guarded *g = r->guarded; g; g = g->next) {
		uint64_t from = g->lo > lo ? g->lo : lo, to = g->hi < end ? g->hi : end;
		if (from >= to || from >= first)
			continue;
		first = from;
		*part = (struct iso_range){from, to};
		prot = g->prot;
	}
	return prot;
}

/* Elsewhere in the slice lie maps of the program's files, which each worker has for itself. */
int vr_bind_mprotect(void *at, size_t n, int prot)
{
	if (mprotect(at, n, prot)) {
		vr_set_errno(errno);
		return -1;
	}
	if (iso_heap_owns(vr_current->heap, at) || vr_is_shared(vr_current, at, (int64_t)n)) {
		vr_protect_note(at, n, prot);
		vr_file_mapping_protect(at, n, prot);
	} else
		vr_rank_pin(vr_current, "it has changed the protection of its program or of a file");
	return 0;
}
