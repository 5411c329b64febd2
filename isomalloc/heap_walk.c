/* Looking at a whole heap: is it sound, and what does it hold. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "heap_internal.h"

struct iso_walk {
	struct iso_heap *h;
	char *why;
	size_t n;
	size_t free_chunks, free_bytes, front_chunks, dirty, roomy;
};

static int __attribute__((format(printf, 2, 3))) iso_walk_fail(struct iso_walk *w, const char *format, ...)
{
	va_list args;

	if (w->why && w->n) {
		va_start(args, format);
		vsnprintf(w->why, w->n, format, args);
		va_end(args);
	}
	return -1;
}

static int iso_walk_free(struct iso_walk *w, struct iso_chunk *c)
{
	struct iso_chunk *after = iso_chunk_after(c, iso_chunk_size(c));
	size_t size = iso_chunk_size(c);
	uintptr_t end = (uintptr_t)after;

	if (c->head & (ISO_PREV_FREE | ISO_FRONT))
		return iso_walk_fail(w, "free chunk %p: not joined with the one before, or in a front list", (void *)c);
	if (end >= w->h->top)
		return iso_walk_fail(w, "free chunk %p: touches the wilderness", (void *)c);
	if (after->prev_size != size || !(after->head & ISO_PREV_FREE))
		return iso_walk_fail(w, "free chunk %p: the next one does not know", (void *)c);
	if ((c->head & ISO_CLEAN) && (c->clean_lo < (uintptr_t)(c + 1) || c->clean_hi > end || c->clean_lo >= c->clean_hi))
		return iso_walk_fail(w, "free chunk %p: clean range leaves it", (void *)c);
	w->free_chunks++;
	w->free_bytes += size;
	if (size >= ISO_BIG_MIN)
		w->dirty += c->head & ISO_CLEAN ? size - (c->clean_hi - c->clean_lo) : size;
	return 0;
}

static int iso_walk_used(struct iso_walk *w, struct iso_chunk *c)
{
	const char *what = NULL;

	if ((c->head & ISO_ROOMY) && iso_raw_usable(iso_chunk_data(c)) > iso_chunk_size(c) - 2 * ISO_CHUNK_COST)
		return iso_walk_fail(w, "chunk %p: written past its end", (void *)c);
	w->roomy += (c->head & ISO_ROOMY) != 0;
	if (c->head & ISO_FRONT)
		w->front_chunks++;
	else if (w->h->flags & ISO_HEAP_CHECK)
		what = iso_debug_inspect(w->h, iso_chunk_data(c), iso_chunk_size(c) - ISO_CHUNK_COST);
	return what ? iso_walk_fail(w, "block %p: %s", iso_chunk_data(c), what) : 0;
}

static int iso_walk_chunks(struct iso_walk *w)
{
	int prev_free = 0;

	for (uintptr_t at = w->h->first; at < w->h->top; at += iso_chunk_size(iso_chunk_at(at))) {
		struct iso_chunk *c = iso_chunk_at(at);
		size_t size = iso_chunk_size(c);
		if ((c->head & ISO_MAGIC_MASK) != ISO_MAGIC)
			return iso_walk_fail(w, "chunk %p: head overwritten", (void *)c);
		if (size < ISO_CHUNK_MIN || size > w->h->top - at)
			return iso_walk_fail(w, "chunk %p: impossible size %zu", (void *)c, size);
		if (!(c->head & ISO_PREV_FREE) != !prev_free)
			return iso_walk_fail(w, "chunk %p: wrong about the one before", (void *)c);
		prev_free = (c->head & ISO_FREE) != 0;
		if ((prev_free ? iso_walk_free(w, c) : iso_walk_used(w, c)) != 0)
			return -1;
	}
	return 0;
}

static int iso_walk_bin(struct iso_walk *w, struct iso_chunk *c, size_t *count, size_t *bytes)
{
	struct iso_chunk *prev = NULL;

	for (; c; prev = c, c = c->next) {
		if ((c->head & (ISO_MAGIC_MASK | ISO_FREE)) != (ISO_MAGIC | ISO_FREE) || c->prev != prev)
			return iso_walk_fail(w, "chunk %p: in a bin but not free, or badly linked", (void *)c);
		++*count;
		*bytes += iso_chunk_size(c);
		if (*count > w->free_chunks)
			return iso_walk_fail(w, "chunk %p: bins hold more chunks than the heap", (void *)c);
	}
	return 0;
}

static int iso_walk_bins(struct iso_walk *w)
{
	struct iso_heap *h = w->h;
	size_t count = h->carve != NULL, bytes = h->carve ? iso_chunk_size(h->carve) : 0;

	for (size_t i = 0; i < ISO_SMALL_BINS; i++) {
		if (!h->small[i] != !(h->small_map >> i & 1))
			return iso_walk_fail(w, "bin %zu: map is wrong", i);
		if (iso_walk_bin(w, h->small[i], &count, &bytes) != 0)
			return -1;
	}
	for (size_t i = 0; i < (size_t)ISO_FL_COUNT * ISO_SL_COUNT; i++) {
		size_t fl = i / ISO_SL_COUNT, sl = i % ISO_SL_COUNT;
		if (!h->large[fl][sl] != !(h->sl_map[fl] >> sl & 1) || !h->sl_map[fl] != !(h->fl_map >> fl & 1))
			return iso_walk_fail(w, "bin %zu.%zu: map is wrong", fl, sl);
		if (iso_walk_bin(w, h->large[fl][sl], &count, &bytes) != 0)
			return -1;
	}
	if (count != w->free_chunks || bytes != w->free_bytes || bytes != h->binned)
		return iso_walk_fail(w, "bins hold %zu chunks and %zu bytes of %zu and %zu (noted: %zu bytes)", count, bytes,
				     w->free_chunks, w->free_bytes, h->binned);
	if (w->roomy != h->roomy)
		return iso_walk_fail(w, "%zu blocks are roomy, %zu noted", w->roomy, h->roomy);
	if (w->dirty != h->dirty)
		return iso_walk_fail(w, "%zu bytes are dirty, %zu noted", w->dirty, h->dirty);
	return 0;
}

static int iso_walk_fronts(struct iso_walk *w)
{
	size_t sum = 0;

	for (size_t i = 0; i < ISO_FRONT_CLASSES; i++) {
		const struct iso_front *f = &w->h->front[i];
		const struct iso_chunk *c = f->head;
		for (uint32_t k = 0; k < f->count; k++, c = c->next)
			if (c == NULL || (c->head & ~ISO_PREV_FREE) != (ISO_MAGIC | i << 4 | ISO_FRONT))
				return iso_walk_fail(w, "chunk %p: wrong or damaged in front list %zu", (const void *)c, i);
		if (c)
			return iso_walk_fail(w, "front list %zu: longer than its count", i);
		sum += f->count;
	}
	if (sum != w->front_chunks)
		return iso_walk_fail(w, "front lists hold %zu of %zu chunks", sum, w->front_chunks);
	return 0;
}

static int iso_walk_extents(struct iso_walk *w)
{
	const struct iso_extent_list *l = &w->h->extents;
	uintptr_t last = w->h->top;
	size_t sum = 0;

	for (size_t i = 0; i < l->count; last = l->at[i].hi, i++) {
		if (l->at[i].lo <= last || l->at[i].hi <= l->at[i].lo || l->at[i].hi > w->h->end)
			return iso_walk_fail(w, "mapping %zu: out of order or place", i);
		sum += l->at[i].hi - l->at[i].lo;
	}
	if (sum != w->h->mapped)
		return iso_walk_fail(w, "%zu bytes are mapped, %zu noted", sum, w->h->mapped);
	if (w->h->ceiling != (l->count ? l->at[0].lo : w->h->end))
		return iso_walk_fail(w, "the lowest mapping is not where the heap thinks");
	return 0;
}

int iso_heap_check(struct iso_heap *h, char *why, size_t n)
{
	struct iso_walk w = {.h = h, .why = why, .n = n};

	if (h->magic != ISO_HEAP_MAGIC)
		return iso_walk_fail(&w, "heap %p: its head was overwritten", (void *)h);
	if (iso_walk_chunks(&w) != 0 || iso_walk_bins(&w) != 0 || iso_walk_fronts(&w) != 0)
		return -1;
	return iso_walk_extents(&w);
}

/* Bytes of the block area that are known to have no page of their own. */
static size_t iso_walk_clean(struct iso_heap *h)
{
	size_t sum = 0;

	for (struct iso_chunk *c = iso_bins_next(h, NULL, ISO_TRACK_MIN); c; c = iso_bins_next(h, c, 0))
		if (c->head & ISO_CLEAN)
			sum += iso_down(c->clean_hi, ISO_PAGE) - iso_up(c->clean_lo, ISO_PAGE);
	return sum;
}

void iso_heap_stats(struct iso_heap *h, struct iso_heap_stats *stats)
{
	size_t cached = iso_front_bytes(h);

	*stats = (struct iso_heap_stats){
		.used = h->top - h->first - h->binned - cached,
		.peak = h->peak,
		.cached = cached,
		.touched = iso_up(h->fresh, ISO_PAGE) - (uintptr_t)h - iso_walk_clean(h),
		.released = h->released,
		.mapped = h->mapped,
		.area = h->end - (uintptr_t)h,
		.refused = h->refused,
	};
}

uint64_t iso_heap_held(const struct iso_heap *heap)
{
	const volatile struct iso_heap *h = heap;
	uint64_t low = h->top - h->first, binned = h->binned, dirty = h->dirty;
	uint64_t blocks = low > binned ? low - binned : 0;

	return blocks + (dirty < low ? dirty : 0) + h->mapped;
}
