/*
 * Anonymous mappings inside the area. Used ranges are kept as a sorted list in
 * which touching ranges are one; what lies between the lowest range and the end
 * of the area, but in no range, is free and reads as zeroes.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/mman.h>

#include "heap_internal.h"

static void iso_map_lower_ceiling(struct iso_heap *h)
{
	h->ceiling = h->extents.count ? h->extents.at[0].lo : h->end;
}

/* Room for two more ranges, before anything is changed. 0 when there is none. */
static int iso_map_reserve(struct iso_heap *h)
{
	struct iso_extent_list *l = &h->extents;
	struct iso_span *old = l->at, *at;
	size_t room = l->room * 2;

	if (l->count + 2 <= l->room)
		return 1;
	at = h->flags & ISO_HEAP_CHECK ? iso_debug_alloc(h, room * sizeof *at) : iso_raw_alloc(h, room * sizeof *at, NULL);
	if (at == NULL)
		return 0;
	memcpy(at, old, l->count * sizeof *at);
	l->at = at;
	l->room = room;
	if (old == l->inline_at)
		return 1;
	if (h->flags & ISO_HEAP_CHECK)
		iso_debug_free(h, old);
	else
		iso_raw_free(h, old);
	return 1;
}

/* Index of the first range that ends at or after addr (`touch`), or after it. */
static size_t iso_map_find(const struct iso_heap *h, uintptr_t addr, int touch)
{
	size_t lo = 0, hi = h->extents.count;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		uintptr_t end = h->extents.at[mid].hi;
		if (end < addr || (end == addr && !touch))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Replaces `drop` ranges from index i by `count` others. */
static void iso_map_splice(struct iso_heap *h, size_t i, size_t drop, const struct iso_span *with, size_t count)
{
	struct iso_extent_list *l = &h->extents;

	memmove(l->at + i + count, l->at + i + drop, (l->count - i - drop) * sizeof *l->at);
	for (size_t k = 0; k < count; k++)
		l->at[i + k] = with[k];
	l->count += count - drop;
	iso_map_lower_ceiling(h);
}

/* Adds [lo, hi), of which nothing is used, joining what it touches. */
static void iso_map_add(struct iso_heap *h, uintptr_t lo, uintptr_t hi)
{
	struct iso_extent_list *l = &h->extents;
	size_t i = iso_map_find(h, lo, 1), end = i;
	struct iso_span s = {lo, hi};

	for (; end < l->count && l->at[end].lo <= hi; end++) {
		if (l->at[end].lo < s.lo)
			s.lo = l->at[end].lo;
		if (l->at[end].hi > s.hi)
			s.hi = l->at[end].hi;
	}
	iso_map_splice(h, i, end - i, &s, 1);
	h->mapped += hi - lo;
}

/* Lowest address a mapping may have: not below the wilderness's first whole page. */
static uintptr_t iso_map_floor(const struct iso_heap *h)
{
	return iso_up(h->top + ISO_CHUNK_DATA, ISO_PAGE);
}

/* What blocks once used above lo must read as zeroes again. */
static void iso_map_claim(struct iso_heap *h, uintptr_t lo)
{
	if (lo >= h->fresh)
		return;
	iso_pages_zero(h, lo, h->fresh < h->ceiling ? h->fresh : h->ceiling);
	h->fresh = lo;
}

static uintptr_t iso_map_fit(uintptr_t lo, uintptr_t hi, size_t len)
{
	uintptr_t at;

	if (hi < lo || hi - lo < len)
		return 0;
	at = iso_down(hi - len, len >= ISO_HUGE ? ISO_HUGE : ISO_PAGE);
	return at >= lo ? at : hi - len;
}

/* Highest free place of len bytes; large ones begin on a huge page where they can. */
static uintptr_t iso_map_search(const struct iso_heap *h, size_t len)
{
	const struct iso_extent_list *l = &h->extents;
	uintptr_t hi = h->end, at;

	for (size_t i = l->count; i-- > 0; hi = l->at[i].lo)
		if ((at = iso_map_fit(l->at[i].hi, hi, len)) != 0)
			return at;
	return iso_map_fit(iso_map_floor(h), hi, len);
}

static void *iso_map_take(struct iso_heap *h, uintptr_t lo, size_t len)
{
	iso_map_claim(h, lo);
	if (!iso_access_open(h, lo, lo + len))
		return NULL;
	if (h->open > lo)
		h->open = lo;
	iso_map_add(h, lo, lo + len);
	return (void *)lo;
}

/* len is a multiple of the page, here and below. */
void *iso_map_alloc(struct iso_heap *h, size_t len)
{
	uintptr_t at;

	if (!iso_map_reserve(h))
		return NULL;
	at = iso_map_search(h, len);
	if (at == 0) {
		iso_chunk_make_room(h); /* may lower the top of the blocks */
		at = iso_map_search(h, len);
	}
	return at ? iso_map_take(h, at, len) : NULL;
}

static int iso_map_in_zone(const struct iso_heap *h, uintptr_t lo, size_t len)
{
	return lo >= iso_map_floor(h) && lo <= h->end && len <= h->end - lo;
}

void *iso_map_place(struct iso_heap *h, uintptr_t lo, size_t len)
{
	if (!iso_map_in_zone(h, lo, len) || iso_map_drop(h, lo, len) != 0 || !iso_map_reserve(h))
		return NULL;
	if (!iso_map_in_zone(h, lo, len))
		return NULL;
	return iso_map_take(h, lo, len);
}

/*
 * Empties part of a range. The program may have protected some of it (stack
 * guards): whoever gets the pages next expects them plain.
 */
static void iso_map_clear(struct iso_heap *h, uintptr_t lo, uintptr_t hi)
{
	h->mapped -= hi - lo;
	if (iso_access_close(h, lo, hi)) {
		h->released += hi - lo;
		return;
	}
	mprotect((void *)lo, hi - lo, PROT_READ | PROT_WRITE);
	iso_pages_zero(h, lo, hi);
}

int iso_map_drop(struct iso_heap *h, uintptr_t lo, size_t len)
{
	struct iso_extent_list *l = &h->extents;
	uintptr_t hi = lo + len;
	struct iso_span left[2];
	size_t i, end, n = 0;

	if (!iso_map_in_zone(h, lo, len) || !iso_map_reserve(h))
		return -1;
	i = iso_map_find(h, lo, 0);
	for (end = i; end < l->count && l->at[end].lo < hi; end++) {
		struct iso_span s = l->at[end], gone = iso_span_cut(s, lo, hi);
		if (s.lo < gone.lo)
			left[n++] = (struct iso_span){s.lo, gone.lo};
		if (s.hi > gone.hi)
			left[n++] = (struct iso_span){gone.hi, s.hi};
		iso_map_clear(h, gone.lo, gone.hi);
	}
	iso_map_splice(h, i, end - i, left, n);
	return 0;
}

static int iso_map_holds(const struct iso_heap *h, uintptr_t lo, size_t len)
{
	size_t i = iso_map_find(h, lo, 0);

	return i < h->extents.count && h->extents.at[i].lo <= lo && len <= h->extents.at[i].hi - lo;
}

/* Whether [lo, hi) holds no mapping at all. */
static int iso_map_vacant(const struct iso_heap *h, uintptr_t lo, uintptr_t hi)
{
	size_t i = iso_map_find(h, lo, 0);

	return hi <= h->end && (i == h->extents.count || h->extents.at[i].lo >= hi);
}

int iso_map_is_vacant(const struct iso_heap *h, uintptr_t lo, size_t len)
{
	return iso_map_in_zone(h, lo, len) && iso_map_vacant(h, lo, lo + len);
}

static void *iso_map_move(struct iso_heap *h, uintptr_t lo, size_t old_len, size_t new_len)
{
	void *to = iso_map_alloc(h, new_len);

	if (to == NULL)
		return NULL;
	memcpy(to, (void *)lo, old_len);
	iso_map_drop(h, lo, old_len);
	return to;
}

void *iso_map_resize(struct iso_heap *h, uintptr_t lo, size_t old_len, size_t new_len, int may_move)
{
	if (!iso_map_in_zone(h, lo, old_len) || !iso_map_holds(h, lo, old_len))
		return NULL;
	if (new_len <= old_len) {
		if (new_len < old_len && iso_map_drop(h, lo + new_len, old_len - new_len) != 0)
			return NULL;
		return (void *)lo;
	}
	if (iso_map_vacant(h, lo + old_len, lo + new_len) && iso_map_reserve(h) && iso_access_open(h, lo + old_len, lo + new_len)) {
		iso_map_add(h, lo + old_len, lo + new_len);
		return (void *)lo;
	}
	return may_move ? iso_map_move(h, lo, old_len, new_len) : NULL;
}
