/* Files that a program maps into its slice with MAP_FIXED, over memory that it reserved there, and advice about memory of the
 * slice. What lies under such a file is the region's, and is put back when the file goes. */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../isomalloc/heap.h"
#include "bind.h"
#include "life.h"

#define PAGE 4096ul

struct vr_overlay {
	struct vr_overlay *next;
	uint64_t lo, hi;
};

static int region_fd;
static uint64_t region_base;
static pid_t worker_pid;

void vr_overlay_setup(int fd, uint64_t base)
{
	region_fd = fd;
	region_base = base;
	worker_pid = getpid();
}

/* In a forked child the slice is the child's own, and the region is none of its business. */
static int restore(uint64_t lo, uint64_t hi)
{
	int shared = getpid() == worker_pid, flags = MAP_FIXED | MAP_NORESERVE;
	void *p = mmap((void *)lo, hi - lo, PROT_READ | PROT_WRITE, flags | (shared ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS), shared ? region_fd : -1,
		       shared ? (off_t)(lo - region_base) : 0);
	return p == MAP_FAILED ? -1 : 0;
}

/* Whose images a rank uses, its heap it uses. */
static struct vr_rank *owner(void)
{
	return vr_library_owner(vr_current);
}

int vr_overlay_add(void *at, size_t n)
{
	struct vr_rank *r = owner();
	struct vr_overlay *o = vr_rank_alloc(r, sizeof *o);
	if (!o)
		return -1;
	*o = (struct vr_overlay){r->overlays, (uint64_t)at, ((uint64_t)at + n + PAGE - 1) & -PAGE};
	r->overlays = o;
	vr_rank_pin(r, "it has mapped a file over its memory");
	return 0;
}

/* Takes [lo, hi) out of one overlay; `rest` is for what is left behind it. */
static int cut(struct vr_overlay *o, uint64_t lo, uint64_t hi)
{
	uint64_t from = o->lo > lo ? o->lo : lo, to = o->hi < hi ? o->hi : hi, end = o->hi;
	if (from >= to)
		return 0;
	if (to < end && from > o->lo && vr_overlay_add((void *)to, end - to))
		return -1;
	if (from > o->lo)
		o->hi = from;
	else
		o->lo = to;
	return restore(from, to);
}

int vr_overlay_remove(void *at, size_t n)
{
	struct vr_rank *r = owner();
	uint64_t lo = (uint64_t)at, hi = (lo + n + PAGE - 1) & -PAGE;
	for (struct vr_overlay **link = &r->overlays, *o; (o = *link); link = *link == o ? &o->next : link) {
		if (cut(o, lo, hi))
			return -1;
		if (o->lo < o->hi)
			continue;
		for (link = &r->overlays; *link != o;) /* cut may have put one before it */
			link = &(*link)->next;
		*link = o->next;
		vr_rank_free(r, o);
	}
	return 0;
}

int vr_overlay_meets(void *at, size_t n)
{
	uint64_t lo = (uint64_t)at;
	for (struct vr_overlay *o = owner()->overlays; o; o = o->next)
		if (lo < o->hi && o->lo < lo + n)
			return 1;
	return 0;
}

/* The pages shall read as zeroes and cost nothing. The kernel keeps what is shared when advised so, and does not drop what it
 * may not write; the program cannot know either. */
static int drop(uint64_t lo, uint64_t n)
{
	if (madvise((void *)lo, n, MADV_REMOVE) == 0)
		return 0;
	if (errno == EACCES && getpid() == worker_pid)
		return fallocate(region_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(lo - region_base), (off_t)n);
	return madvise((void *)lo, n, MADV_DONTNEED); /* private in a forked child */
}

static int is_for_huge_pages(int advice)
{
	return advice == MADV_HUGEPAGE || advice == 25; /* MADV_COLLAPSE, of Linux 6.1 */
}

int vr_keeps_small_pages;

static int advise(void *at, size_t n, int advice)
{
	if (vr_keeps_small_pages && is_for_huge_pages(advice))
		return 0; /* it is advice */
	uint64_t lo = (uint64_t)at, len = (n + PAGE - 1) & -PAGE;
	if (advice != MADV_DONTNEED && advice != MADV_FREE)
		return madvise(at, n, advice);
	if (!iso_heap_owns(vr_current->heap, at) || vr_overlay_meets(at, len))
		return madvise(at, n, advice);
	if (lo % PAGE || len < n || !iso_heap_owns(vr_current->heap, (char *)at + len - (len > 0))) {
		errno = EINVAL;
		return -1;
	}
	return len ? drop(lo, len) : 0;
}

int vr_bind_madvise(void *at, size_t n, int advice)
{
	int bad = advise(at, n, advice);
	if (bad)
		vr_set_errno(errno);
	return bad;
}
