/*
 * Cutting chunks from free ones or from the wilderness, and joining them again.
 * Free neighbours never stay apart, and the last chunk is never free: it joins
 * the wilderness.
 */
#include "heap_internal.h"

/* Room kept between the wilderness and the mappings for the last chunk's tail. */
#define ISO_TOP_GAP ((size_t)16)

static void iso_chunk_detach(struct iso_heap *h, struct iso_chunk *c)
{
	if (c != h->carve) {
		iso_bins_remove(h, c);
		return;
	}
	h->carve = NULL;
	h->binned -= iso_chunk_size(c);
}

static struct iso_span iso_chunk_clean(const struct iso_chunk *c)
{
	struct iso_span none = {0, 0};

	if (!(c->head & ISO_CLEAN))
		return none;
	return (struct iso_span){c->clean_lo, c->clean_hi};
}

/* Writes the marks of a free chunk: its head, and what the next chunk knows of it. */
static void iso_chunk_mark_free(struct iso_chunk *c, size_t size, struct iso_span clean)
{
	struct iso_chunk *after = iso_chunk_after(c, size);

	c->head = ISO_MAGIC | size | ISO_FREE;
	after->prev_size = size;
	after->head |= ISO_PREV_FREE;
	if (size < ISO_TRACK_MIN)
		return;
	clean = iso_span_cut(clean, (uintptr_t)(c + 1), (uintptr_t)after);
	if (iso_span_len(clean) < ISO_PAGE)
		return;
	c->head |= ISO_CLEAN;
	c->clean_lo = clean.lo;
	c->clean_hi = clean.hi;
}

static void iso_chunk_put(struct iso_heap *h, struct iso_chunk *c, size_t size, struct iso_span clean)
{
	iso_chunk_mark_free(c, size, clean);
	iso_bins_insert(h, c);
}

static void iso_chunk_carve_from(struct iso_heap *h, struct iso_chunk *c, size_t size, struct iso_span clean)
{
	struct iso_chunk *old;

	if (size >= ISO_CARVE_MAX) {
		iso_chunk_put(h, c, size, clean);
		return;
	}
	if ((old = h->carve) != NULL) {
		iso_chunk_detach(h, old);
		iso_bins_insert(h, old);
	}
	iso_chunk_mark_free(c, size, clean);
	h->carve = c;
	h->binned += size;
}

static void iso_chunk_note_peak(struct iso_heap *h)
{
	size_t used = h->top - h->first - h->binned;

	if (used > h->peak)
		h->peak = used;
}

/* Cuts `size` bytes off a detached free chunk; the rest goes back, to be carved if `carve`. */
static void iso_chunk_split(struct iso_heap *h, struct iso_chunk *c, size_t size, int carve)
{
	size_t whole = iso_chunk_size(c), rest = whole - size;
	struct iso_span clean = iso_chunk_clean(c);

	if (rest < ISO_CHUNK_MIN) {
		c->head = ISO_MAGIC | whole;
		iso_chunk_after(c, whole)->head &= ~ISO_PREV_FREE;
	} else if (carve) {
		c->head = ISO_MAGIC | size;
		iso_chunk_carve_from(h, iso_chunk_after(c, size), rest, clean);
	} else {
		c->head = ISO_MAGIC | size;
		iso_chunk_put(h, iso_chunk_after(c, size), rest, clean);
	}
}

/* Big requests that take from the wilderness what was given back before are noted. */
static int iso_chunk_top_move(struct iso_heap *h, size_t by)
{
	uintptr_t fresh = h->fresh, highest = h->highest;

	if (h->ceiling - h->top < ISO_TOP_GAP || by > h->ceiling - h->top - ISO_TOP_GAP)
		return 0;
	if (ISO_UNLIKELY(h->top + by + ISO_TOP_GAP > h->open) && !iso_access_extend(h, h->top + by))
		return 0;
	h->top += by;
	if (h->top + ISO_CHUNK_COST > h->fresh)
		h->fresh = h->top + ISO_CHUNK_COST;
	if (h->fresh > h->highest)
		h->highest = h->fresh;
	if (fresh < highest && by >= ISO_BIG_MIN)
		iso_pages_reused(h, by, (h->fresh < highest ? h->fresh : highest) - fresh);
	return 1;
}

static struct iso_chunk *iso_chunk_take_top(struct iso_heap *h, size_t size, struct iso_span *zero)
{
	struct iso_chunk *c = iso_chunk_at(h->top);
	uintptr_t fresh = h->fresh;

	if (!iso_chunk_top_move(h, size))
		return NULL;
	c->head = ISO_MAGIC | size;
	if (zero)
		*zero = (struct iso_span){fresh, h->top + ISO_CHUNK_COST};
	return c;
}

static struct iso_chunk *iso_chunk_take_bin(struct iso_heap *h, struct iso_chunk *c, size_t size,
	struct iso_span *zero)
{
	struct iso_span clean = iso_chunk_clean(c);

	iso_chunk_detach(h, c);
	clean = iso_span_cut(clean, (uintptr_t)c, (uintptr_t)c + size);
	if (zero)
		*zero = clean;
	iso_chunk_split(h, c, size, 0);
	if (size >= ISO_BIG_MIN)
		iso_pages_reused(h, size, iso_span_len(clean));
	return c;
}

/*
 * Before the heap grows by another step: when much of it sits in front lists,
 * joins those blocks to larger ones. 1 when that was done.
 */
static int iso_chunk_review_front(struct iso_heap *h)
{
	size_t cached;

	if (ISO_LIKELY(h->top < h->review))
		return 0;
	h->review = h->top + ISO_REVIEW_STEP;
	cached = iso_front_bytes(h);
	if (cached < ISO_REVIEW_STEP || cached < (h->top - h->first) / 4)
		return 0;
	iso_front_flush_all(h);
	return 1;
}

/* What is held back for speed is given up, before a request is refused. */
void iso_chunk_make_room(struct iso_heap *h)
{
	iso_raw_drain_all(h);
	iso_front_flush_all(h);
}

static struct iso_chunk *iso_chunk_try(struct iso_heap *h, size_t size, struct iso_span *zero)
{
	struct iso_chunk *c = iso_bins_find(h, size);

	if (c == NULL && h->carve && iso_chunk_size(h->carve) >= size)
		c = h->carve;
	return c ? iso_chunk_take_bin(h, c, size, zero) : NULL;
}

/* An in-use chunk of at least `size` bytes, or NULL when the area is full. */
struct iso_chunk *iso_chunk_take(struct iso_heap *h, size_t size, struct iso_span *zero)
{
	struct iso_chunk *c;

	if (size > h->end - h->first)
		return NULL;
	c = iso_chunk_try(h, size, zero);
	if (c == NULL && iso_chunk_review_front(h))
		c = iso_chunk_try(h, size, zero);
	if (c == NULL)
		c = iso_chunk_take_top(h, size, zero);
	if (c == NULL) {
		iso_chunk_make_room(h);
		c = iso_chunk_try(h, size, zero);
	}
	if (c == NULL)
		c = iso_chunk_take_top(h, size, zero);
	if (c)
		iso_chunk_note_peak(h);
	return c;
}

static struct iso_chunk *iso_chunk_carve(struct iso_heap *h, size_t size)
{
	struct iso_chunk *c = h->carve;

	iso_chunk_detach(h, c);
	iso_chunk_split(h, c, size, 1);
	return c;
}

/*
 * The same for a front-list size: an exact fit if there is one, else cut from the
 * carving chunk, so that blocks allocated in a row lie in a row.
 */
struct iso_chunk *iso_chunk_take_small(struct iso_heap *h, size_t size)
{
	struct iso_chunk *c = size < (size_t)16 * ISO_SMALL_BINS ? h->small[size >> 4] : NULL;

	if (c) {
		iso_bins_remove(h, c);
		iso_chunk_split(h, c, iso_chunk_size(c), 1);
	} else if (h->carve && iso_chunk_size(h->carve) >= size) {
		c = iso_chunk_carve(h, size);
	} else if ((c = iso_bins_find(h, size)) != NULL) {
		iso_bins_remove(h, c);
		iso_chunk_split(h, c, size, 1);
	} else {
		return iso_chunk_take(h, size, NULL);
	}
	iso_chunk_note_peak(h);
	return c;
}

static struct iso_span iso_span_larger(struct iso_span a, struct iso_span b)
{
	return iso_span_len(a) >= iso_span_len(b) ? a : b;
}

static int iso_chunk_is_free(const struct iso_chunk *c)
{
	return (c->head & (ISO_MAGIC_MASK | ISO_FREE)) == (ISO_MAGIC | ISO_FREE);
}

/* The free chunk before c, or NULL after saying that c's neighbourhood is damaged. */
static struct iso_chunk *iso_chunk_before(struct iso_heap *h, struct iso_chunk *c)
{
	struct iso_chunk *p = iso_chunk_at((uintptr_t)c - c->prev_size);

	if (ISO_LIKELY(c->prev_size <= (uintptr_t)c - h->first && iso_chunk_is_free(p) &&
		       iso_chunk_size(p) == c->prev_size))
		return p;
	iso_debug_corrupt(h, iso_chunk_data(c), "memory before the block was overwritten");
	return NULL;
}

static void iso_chunk_join_top(struct iso_heap *h, struct iso_chunk *c)
{
	h->top = (uintptr_t)c;
	c->head = 0;
	if (h->fresh - h->top >= ISO_BIG_MIN)
		iso_pages_review(h);
}

/* Makes an in-use (or front-list) chunk free and joins it with its free neighbours. */
void iso_chunk_release(struct iso_heap *h, struct iso_chunk *c)
{
	size_t size = iso_chunk_size(c);
	struct iso_chunk *after = iso_chunk_after(c, size), *p;
	struct iso_span clean = {0, 0};

	if ((uintptr_t)after > h->top || ((uintptr_t)after < h->top && (after->head & ISO_MAGIC_MASK) != ISO_MAGIC)) {
		iso_debug_corrupt(h, iso_chunk_data(c), "memory after the block was overwritten");
		return;
	}
	if (c->head & ISO_PREV_FREE) {
		if ((p = iso_chunk_before(h, c)) == NULL)
			return;
		iso_chunk_detach(h, p);
		clean = iso_chunk_clean(p);
		c->head = 0; /* so that a second free of this block is seen */
		size += iso_chunk_size(p);
		c = p;
	}
	if ((uintptr_t)after == h->top) {
		iso_chunk_join_top(h, c);
		return;
	}
	if (after->head & ISO_FREE) {
		iso_chunk_detach(h, after);
		clean = iso_span_larger(clean, iso_chunk_clean(after));
		size += iso_chunk_size(after);
		after->head = 0;
	}
	iso_chunk_put(h, c, size, clean);
	if (size >= ISO_BIG_MIN)
		iso_pages_review(h);
}

static int iso_chunk_grow_top(struct iso_heap *h, struct iso_chunk *c, size_t size)
{
	size_t have = iso_chunk_size(c);

	if (!iso_chunk_top_move(h, size - have))
		return 0;
	c->head += size - have;
	iso_chunk_note_peak(h);
	return 1;
}

/* Lengthens an in-use chunk to `size` bytes where it is. 1 when done. */
int iso_chunk_grow(struct iso_heap *h, struct iso_chunk *c, size_t size)
{
	size_t have = iso_chunk_size(c), more = size - have;
	struct iso_chunk *after = iso_chunk_after(c, have);
	struct iso_span clean;
	uint64_t keep = c->head & ISO_PREV_FREE;

	if ((uintptr_t)after == h->top)
		return iso_chunk_grow_top(h, c, size);
	if (!iso_chunk_is_free(after) || have + iso_chunk_size(after) < size)
		return 0;
	clean = iso_span_cut(iso_chunk_clean(after), (uintptr_t)after, (uintptr_t)after + more);
	iso_chunk_detach(h, after);
	iso_chunk_split(h, after, more < ISO_CHUNK_MIN ? ISO_CHUNK_MIN : more, 0);
	if (more >= ISO_BIG_MIN)
		iso_pages_reused(h, more, iso_span_len(clean));
	c->head = ISO_MAGIC | (have + iso_chunk_size(after)) | keep;
	after->head = 0;
	iso_chunk_note_peak(h);
	return 1;
}

/* Gives the end of an in-use chunk back, if it is worth a chunk. */
void iso_chunk_shrink(struct iso_heap *h, struct iso_chunk *c, size_t size)
{
	size_t rest = iso_chunk_size(c) - size;
	struct iso_chunk *tail = iso_chunk_after(c, size);

	if (rest < ISO_CHUNK_MIN)
		return;
	c->head -= rest;
	tail->head = ISO_MAGIC | rest;
	iso_chunk_release(h, tail);
}

/* Gives the first `lead` bytes of an in-use chunk back and returns what is left of it. */
struct iso_chunk *iso_chunk_trim_front(struct iso_heap *h, struct iso_chunk *c, size_t lead)
{
	struct iso_chunk *rest = iso_chunk_after(c, lead);

	rest->head = ISO_MAGIC | (iso_chunk_size(c) - lead);
	c->head = ISO_MAGIC | lead | (c->head & ISO_PREV_FREE);
	iso_chunk_release(h, c);
	return rest;
}
