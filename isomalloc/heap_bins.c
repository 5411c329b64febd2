/*
 * Free chunks by size: below 1 KiB one bin per size, above that a two-level
 * segregated fit with 16 bins to each power of two. Finding, inserting and
 * removing take constant time.
 */
#include "heap_internal.h"

struct iso_bin {
	struct iso_chunk **head;
	uint32_t fl, sl;
	int small;
};

static struct iso_bin iso_bins_of(struct iso_heap *h, size_t size)
{
	struct iso_bin b = {.small = 1, .sl = (uint32_t)(size >> 4)};

	if (size < (size_t)1 << ISO_FL_FIRST) {
		b.head = &h->small[b.sl];
		return b;
	}
	uint32_t log = 63 - (uint32_t)__builtin_clzll(size);
	b.small = 0;
	b.fl = log - ISO_FL_FIRST;
	b.sl = (uint32_t)(size >> (log - ISO_SL_BITS)) & (ISO_SL_COUNT - 1);
	b.head = &h->large[b.fl][b.sl];
	return b;
}

static void iso_bins_mark(struct iso_heap *h, struct iso_bin b)
{
	if (b.small) {
		h->small_map |= UINT64_C(1) << b.sl;
		return;
	}
	h->fl_map |= UINT64_C(1) << b.fl;
	h->sl_map[b.fl] |= (uint16_t)(1u << b.sl);
}

static void iso_bins_unmark(struct iso_heap *h, struct iso_bin b)
{
	if (b.small) {
		h->small_map &= ~(UINT64_C(1) << b.sl);
		return;
	}
	h->sl_map[b.fl] &= (uint16_t)~(1u << b.sl);
	if (h->sl_map[b.fl] == 0)
		h->fl_map &= ~(UINT64_C(1) << b.fl);
}

static size_t iso_bins_dirty(const struct iso_chunk *c)
{
	size_t size = iso_chunk_size(c);

	if (size < ISO_BIG_MIN)
		return 0;
	return c->head & ISO_CLEAN ? size - (c->clean_hi - c->clean_lo) : size;
}

/* c is ISO_FREE, with its size, and its clean range if it has one, set. */
void iso_bins_insert(struct iso_heap *h, struct iso_chunk *c)
{
	size_t size = iso_chunk_size(c);
	struct iso_bin b = iso_bins_of(h, size);

	c->prev = NULL;
	c->next = *b.head;
	if (c->next)
		c->next->prev = c;
	else
		iso_bins_mark(h, b);
	*b.head = c;
	h->binned += size;
	h->dirty += iso_bins_dirty(c);
}

static int iso_bins_linked(const struct iso_chunk *c, struct iso_bin b)
{
	if (c->next && c->next->prev != c)
		return 0;
	return c->prev ? c->prev->next == c : *b.head == c;
}

void iso_bins_remove(struct iso_heap *h, struct iso_chunk *c)
{
	size_t size = iso_chunk_size(c);
	struct iso_bin b = iso_bins_of(h, size);

	if (ISO_UNLIKELY(!iso_bins_linked(c, b))) {
		iso_debug_corrupt(h, iso_chunk_data(c), "free block was written to");
		*b.head = NULL; /* the handler came back: lose the bin, not the heap */
		iso_bins_unmark(h, b);
		return;
	}
	if (c->next)
		c->next->prev = c->prev;
	if (c->prev)
		c->prev->next = c->next;
	else if ((*b.head = c->next) == NULL)
		iso_bins_unmark(h, b);
	h->binned -= size;
	h->dirty -= iso_bins_dirty(c);
}

static struct iso_chunk *iso_bins_first_from(struct iso_heap *h, uint32_t fl, uint32_t sl)
{
	uint32_t sls = sl < ISO_SL_COUNT ? h->sl_map[fl] & (~0u << sl) : 0;

	if (sls == 0) {
		uint64_t fls = h->fl_map & (~UINT64_C(1) << fl);
		if (fls == 0)
			return NULL;
		fl = (uint32_t)__builtin_ctzll(fls);
		sls = h->sl_map[fl];
	}
	return h->large[fl][__builtin_ctz(sls)];
}

static struct iso_chunk *iso_bins_find_small(struct iso_heap *h, size_t size)
{
	uint64_t map = h->small_map & (~UINT64_C(0) << (size >> 4));

	if (map)
		return h->small[__builtin_ctzll(map)];
	return iso_bins_first_from(h, 0, 0);
}

/*
 * A chunk of at least `size` bytes, still in its bin, or NULL. The bin of the
 * size itself is looked at first, a few chunks deep: programs ask again for the
 * sizes they freed, and plain two-level fit would pass those by.
 */
struct iso_chunk *iso_bins_find(struct iso_heap *h, size_t size)
{
	if (size < (size_t)1 << ISO_FL_FIRST)
		return iso_bins_find_small(h, size);
	struct iso_bin b = iso_bins_of(h, size);
	struct iso_chunk *c = *b.head;
	for (int depth = 0; c && depth < 4; depth++, c = c->next)
		if (iso_chunk_size(c) >= size)
			return c;
	return iso_bins_first_from(h, b.fl, b.sl + 1);
}

/* Walks all binned chunks of at least about `min` bytes (1 KiB or more); start with NULL. */
struct iso_chunk *iso_bins_next(struct iso_heap *h, struct iso_chunk *c, size_t min)
{
	if (c && c->next)
		return c->next;
	struct iso_bin b = iso_bins_of(h, c ? iso_chunk_size(c) : min);
	return iso_bins_first_from(h, b.fl, c ? b.sl + 1 : b.sl);
}
