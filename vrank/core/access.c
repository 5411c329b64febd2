/* What of slices this process can touch: see access.h. */
#include "vrank/core/access.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "isomalloc/heap.h"
#include "vrank/core/hooks.h"
#include "vrank/core/isolate.h"

#define PAGE 4096ul
/* The part of a slice from the heap to its end, as it is in this process. */
struct access {
	uint64_t changes; /* of the heap that this is up to date with */
	uint64_t requests;
	int8_t has_holes; /* else all is open */
	int8_t libraries;
	uint16_t n;
	struct iso_range open[VR_ACCESS_SPANS]; /* ascending, with holes between */
};

static struct access *slices;
static int region_fd;
static uint64_t region_base;
static int64_t room; /* for further mappings */
static atomic_flag busy = ATOMIC_FLAG_INIT;

/* The PE, threads of ranks, and handlers of SIGSEGV on any thread. */
static void lock(void)
{
	while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire))
		sched_yield();
}

static void unlock(void)
{
	atomic_flag_clear_explicit(&busy, memory_order_release);
}

static uint64_t slice_of(int64_t id)
{
	return vr_job->slices + (uint64_t)id * vr_job->layout.slice_size;
}

/* The slice that an address lies in, or -1. */
static int64_t id_of(uint64_t address)
{
	uint64_t at = vr_job ? address - vr_job->slices : 0;
	return vr_job && at < (uint64_t)vr_job->ranks * vr_job->layout.slice_size ? (int64_t)(at / vr_job->layout.slice_size) : -1;
}

static struct iso_heap *heap_of(int64_t id)
{
	return (struct iso_heap *)(slice_of(id) + vr_job->layout.heap);
}

static struct iso_range zone_of(int64_t id)
{
	return (struct iso_range){slice_of(id) + vr_job->layout.heap, slice_of(id) + vr_job->layout.slice_size};
}

/* ---- the kernel ---- */

static int map(uint64_t lo, uint64_t hi)
{
	int child = vr_is_child(), flags = MAP_FIXED | MAP_NORESERVE | (child ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED);
	if (mmap((void *)lo, hi - lo, PROT_READ | PROT_WRITE, flags, child ? -1 : region_fd, child ? 0 : (off_t)(lo - region_base)) == MAP_FAILED)
		return -1;
	if (!child)
		madvise((void *)lo, hi - lo, MADV_DONTDUMP); /* as the region's other memory, so that the two are one mapping */
	if (vr_unlikely(vr_isolated))
		vr_isolate_mapped(id_of(lo), lo, hi);
	return 0;
}

/* ---- lists of what is open ---- */

static void exchange(struct access *a, int i, int drop, const struct iso_range *with, int count)
{
	memmove(a->open + i + count, a->open + i + drop, (a->n - i - drop) * sizeof *a->open);
	for (int k = 0; k < count; k++)
		a->open[i + k] = with[k];
	a->n += count - drop;
	room -= count - drop;
}

static int may_add(const struct access *a)
{
	return a->n < VR_ACCESS_SPANS && room > 0;
}

/* The first that ends at or after an address. */
static int first_open_from(const struct access *a, uint64_t at)
{
	int i = 0;
	while (i < a->n && a->open[i].hi < at)
		i++;
	return i;
}

/* What touches no other part and may not be one of its own reaches to its neighbour. */
static struct iso_range joined(const struct access *a, int i, struct iso_range r)
{
	int touches = i < a->n && a->open[i].lo <= r.hi;
	if (touches || may_add(a))
		return r;
	if (i < a->n)
		r.hi = a->open[i].lo;
	else
		r.lo = a->open[i - 1].hi;
	return r;
}

static int open_range(struct access *a, uint64_t lo, uint64_t hi)
{
	if (!a->has_holes || lo >= hi)
		return 0;
	struct iso_range r = joined(a, first_open_from(a, lo), (struct iso_range){lo, hi});
	int i = first_open_from(a, r.lo), end = i;
	uint64_t at = r.lo;
	for (; end < a->n && a->open[end].lo <= r.hi; end++) {
		if (at < a->open[end].lo && map(at, a->open[end].lo))
			return -1;
		if (at < a->open[end].hi)
			at = a->open[end].hi;
		if (r.lo > a->open[end].lo)
			r.lo = a->open[end].lo;
	}
	if (at < r.hi && map(at, r.hi))
		return -1;
	if (at > r.hi)
		r.hi = at;
	exchange(a, i, end - i, &r, 1);
	return 0;
}

/* 0, or -1: nothing is closed. So many bytes behind the zone go as well. */
static int close_range_of(struct access *a, struct iso_range zone, uint64_t lo, uint64_t hi, uint64_t behind)
{
	struct iso_range left[2];
	int n = 0;
	if (lo >= hi)
		return 0;
	if (!a->has_holes) {
		a->open[0] = zone;
		a->has_holes = a->n = 1;
	}
	int i = first_open_from(a, lo + 1), end = i;
	for (; end < a->n && a->open[end].lo < hi; end++) {
		if (a->open[end].lo < lo)
			left[n++] = (struct iso_range){a->open[end].lo, lo};
		if (a->open[end].hi > hi)
			left[n++] = (struct iso_range){hi, a->open[end].hi};
	}
	if (n > end - i && !may_add(a))
		return -1;
	if (i < end && munmap((void *)lo, hi - lo + behind))
		return -1;
	exchange(a, i, end - i, left, n);
	return 0;
}

/* ---- the heap of a rank of this worker ---- */

/* Dropped memory reads as zeroes when it is opened again. In a child it was its own, and is gone. */
static void punch(uint64_t lo, uint64_t hi)
{
	if (!vr_is_child())
		fallocate(region_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)(lo - region_base), (off_t)(hi - lo));
}

static int change(struct iso_heap *heap, uintptr_t lo, uintptr_t hi, int open)
{
	int64_t id = id_of((uint64_t)heap);
	struct access *a = &slices[id];
	int saved = errno;
	lock();
	int error = open ? open_range(a, lo, hi) : close_range_of(a, zone_of(id), lo, hi, 0);
	if (!error)
		a->changes = iso_heap_changes(heap) + 1; /* which the heap is about to count */
	unlock();
	if (!error && !open)
		punch(lo, hi);
	errno = saved;
	return error;
}

int vr_access_setup(int fd, uint64_t base, int64_t mappings)
{
	slices = calloc((size_t)vr_job->ranks, sizeof *slices);
	if (!slices)
		return -1;
	region_fd = fd;
	region_base = base;
	room = mappings;
	iso_heap_on_access(change);
	return 0;
}

/* ---- ranks that come ---- */

static int wanted(const struct vr_rank *r, struct iso_range *list)
{
	const struct vr_layout *l = &vr_job->layout;
	int n = (int)iso_heap_open(heap_of(r->id), list, VR_ACCESS_SPANS - 2);
	if (r->libraries_open)
		list[n++] = (struct iso_range){r->slice + l->libraries, r->slice + l->libraries + l->libraries_size};
	if (r->requests_open)
		list[n++] = (struct iso_range){r->slice + l->requests, r->slice + l->requests + r->requests_open};
	return n;
}

static int is_up_to_date(const struct access *a, const struct vr_rank *r)
{
	return a->has_holes && a->changes == iso_heap_changes(heap_of(r->id)) && a->requests == r->requests_open && a->libraries == r->libraries_open;
}

/* Behind a slice is the guard of the next one, which nobody ever touches, whoever has the rank: the first time, one call takes both away. */
static uint64_t guard_behind(const struct access *a, const struct vr_rank *r)
{
	return a->has_holes || r->id + 1 == vr_job->ranks ? 0 : vr_job->layout.guard + vr_job->layout.guard_size;
}

static int bring_up_to_date(struct access *a, const struct vr_rank *r)
{
	struct iso_range list[VR_ACCESS_SPANS], zone = zone_of(r->id);
	int n = wanted(r, list);
	uint64_t at = zone.lo, guard = guard_behind(a, r);
	for (int i = 0; i < n; i++)
		if (open_range(a, list[i].lo, list[i].hi))
			return -1;
	for (int i = 0; i < n; at = list[i++].hi)
		close_range_of(a, zone, at, list[i].lo, 0);
	close_range_of(a, zone, at, zone.hi, guard);
	if (vr_unlikely(vr_isolated) && r->libraries_open && !a->libraries)
		vr_isolate_libraries(r);
	a->changes = iso_heap_changes(heap_of(r->id));
	a->requests = r->requests_open;
	a->libraries = (int8_t)r->libraries_open;
	return 0;
}

int vr_access_enter(struct vr_rank *r)
{
	if (!slices || vr_likely(is_up_to_date(&slices[r->id], r)))
		return 0;
	lock();
	int error = bring_up_to_date(&slices[r->id], r);
	unlock();
	return error;
}

static int open_part(struct vr_rank *r, uint64_t lo, uint64_t hi)
{
	lock();
	int error = open_range(&slices[r->id], lo, hi);
	unlock();
	return error;
}

int vr_access_requests(struct vr_rank *r, uint64_t size)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t to = r->requests_open ? r->requests_open : 64 << 10;
	if (!slices || size <= r->requests_open)
		return 0;
	while (to < size)
		to *= 2;
	to = to < l->requests_size ? to : l->requests_size;
	if (open_part(r, r->slice + l->requests, r->slice + l->requests + to))
		return -1;
	slices[r->id].requests = r->requests_open = to;
	return 0;
}

int vr_access_libraries(struct vr_rank *r)
{
	const struct vr_layout *l = &vr_job->layout;
	if (!slices || r->libraries_open)
		return 0;
	if (open_part(r, r->slice + l->libraries, r->slice + l->libraries + l->libraries_size))
		return -1;
	slices[r->id].libraries = 1;
	r->libraries_open = 1;
	return 0;
}

/* ---- looking ---- */

int vr_access_holds(const void *p, int64_t n)
{
	uint64_t lo = (uint64_t)p, hi = lo + (uint64_t)n;
	int64_t id = slices ? id_of(lo) : -1;
	if (id < 0)
		return 1;
	const struct access *a = &slices[id];
	uint64_t heap = slice_of(id) + vr_job->layout.heap;
	if (!a->has_holes || hi <= heap)
		return 1;
	if (lo < heap)
		lo = heap;
	for (int i = 0; i < a->n; i++)
		if (lo >= a->open[i].lo && hi <= a->open[i].hi)
			return 1;
	return 0;
}

int vr_access_open(int64_t id, struct iso_range *list)
{
	const struct access *a = &slices[id];
	if (!a->has_holes) {
		*list = zone_of(id);
		return 1;
	}
	memcpy(list, a->open, a->n * sizeof *list);
	return a->n;
}

/* Another thread may have opened it meanwhile. */
static int is_mapped(uint64_t address)
{
	unsigned char byte;
	return !mincore((void *)(address & -PAGE), PAGE, &byte);
}

int vr_access_admit(uint64_t address, uint64_t pc)
{
	if (!slices || vr_is_child())
		return 0;
	int64_t id = id_of(address);
	const struct vr_rank *r = id < 0 ? NULL : vr_rank_of((int32_t)id);
	if (!r || vr_is_mine(r) || (id_of(pc) >= 0 && !atomic_load(&r->exposed)))
		return 0;
	struct access *a = &slices[id];
	struct iso_range zone = zone_of(id);
	if (address < zone.lo)
		return 0;
	lock();
	int done = a->has_holes && (is_mapped(address) || !open_range(a, zone.lo, zone.hi));
	unlock();
	return done;
}

static const char *part_of(int64_t id, uint64_t address)
{
	static const char *const places[] = {[ISO_IN_BLOCKS] = "in %s heap", [ISO_PAST_BLOCKS] = "past the end of %s heap",
					     [ISO_IN_MAPPING] = "in %s mapped memory", [ISO_NOT_MAPPED] = "past %s mapped memory"};
	const struct vr_layout *l = &vr_job->layout;
	uint64_t at = address - slice_of(id);
	if (at < l->stack)
		return "below %s stack";
	if (address < (uint64_t)vr_rank_of((int32_t)id) - l->tls_size)
		return "in %s stack";
	if (at < l->images)
		return "in %s control block";
	if (at < l->heap)
		return "in %s program or libraries";
	if (at >= l->libraries)
		return "past %s mapped memory";
	return places[iso_heap_place(heap_of(id), address)];
}

int32_t vr_access_describe(const struct vr_rank *me, uint64_t address, char *text, size_t n)
{
	char whose[32];
	int64_t id = id_of(address);
	*text = 0;
	if (id < 0)
		return -1;
	if (me && me->id == id)
		snprintf(whose, sizeof whose, "its");
	else
		snprintf(whose, sizeof whose, "rank %d's", (int)id);
	snprintf(text, n, part_of(id, address), whose);
	return (int32_t)id;
}
