/*
 * Giving the pages of free memory back. Free chunks remember the bytes known to
 * be zero ("clean"); the others are "dirty". When more than `keep` bytes of big
 * free memory are dirty, all of it is given back at once. `keep` starts low and
 * grows when the program takes memory again that was just given back, so a loop
 * that allocates and frees the same arrays soon runs without system calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "heap_internal.h"

/*
 * Drops whole pages so that they read as zeroes: 1 when done. A shared file
 * mapping needs MADV_REMOVE; private memory refuses that with EINVAL, and there
 * (only there) MADV_DONTNEED does the same.
 */
static int iso_pages_drop(struct iso_heap *h, uintptr_t lo, uintptr_t hi)
{
	if (hi <= lo)
		return 1;
	if (h->give == ISO_GIVE_REMOVE) {
		if (madvise((void *)lo, hi - lo, MADV_REMOVE) == 0)
			goto done;
		h->give = errno == EINVAL ? ISO_GIVE_DONTNEED : ISO_GIVE_NONE;
	}
	if (h->give == ISO_GIVE_DONTNEED) {
		if (madvise((void *)lo, hi - lo, MADV_DONTNEED) == 0)
			goto done;
		h->give = ISO_GIVE_NONE;
	}
	return 0;
done:
	h->released += hi - lo;
	return 1;
}

/* Makes [lo, hi) read as zeroes, without pages where that can be had. */
void iso_pages_zero(struct iso_heap *h, uintptr_t lo, uintptr_t hi)
{
	uintptr_t a = iso_up(lo, ISO_PAGE), b = iso_down(hi, ISO_PAGE);

	if (a >= b || !iso_pages_drop(h, a, b)) {
		memset((void *)lo, 0, hi - lo);
		return;
	}
	memset((void *)lo, 0, a - lo);
	memset((void *)b, 0, hi - b);
}

static size_t iso_pages_release_chunk(struct iso_heap *h, struct iso_chunk *c)
{
	size_t size = iso_chunk_size(c), before = h->released;
	uintptr_t lo = iso_up((uintptr_t)(c + 1), ISO_PAGE), hi = iso_down((uintptr_t)c + size, ISO_PAGE);
	struct iso_span clean = {lo, lo};

	if (c->head & ISO_CLEAN)
		clean = (struct iso_span){iso_up(c->clean_lo, ISO_PAGE), iso_down(c->clean_hi, ISO_PAGE)};
	if (hi <= lo || !iso_pages_drop(h, lo, clean.lo) || !iso_pages_drop(h, clean.hi, hi))
		return 0;
	iso_bins_remove(h, c);
	c->head |= ISO_CLEAN;
	if (clean.lo == lo && clean.hi == hi)
		lo = c->clean_lo, hi = c->clean_hi;
	c->clean_lo = lo;
	c->clean_hi = hi;
	iso_bins_insert(h, c);
	return h->released - before;
}

static size_t iso_pages_release_top(struct iso_heap *h)
{
	uintptr_t lo = iso_up(h->top + ISO_CHUNK_DATA, ISO_PAGE), hi = iso_up(h->fresh, ISO_PAGE);

	if (hi > h->ceiling)
		hi = h->ceiling;
	if (hi <= lo || !iso_pages_drop(h, lo, hi))
		return 0;
	h->fresh = lo;
	iso_access_shrink(h);
	return hi - lo;
}

/* Gives all of the big free memory back; returns the bytes. */
size_t iso_pages_release_free(struct iso_heap *h)
{
	size_t sum = iso_pages_release_top(h);
	struct iso_chunk *c, *next;

	for (c = iso_bins_next(h, NULL, ISO_TRACK_MIN); c; c = next) {
		next = iso_bins_next(h, c, 0);
		if (!(c->head & ISO_CLEAN) || iso_chunk_size(c) - (c->clean_hi - c->clean_lo) > 2 * ISO_PAGE)
			sum += iso_pages_release_chunk(h, c);
	}
	return sum;
}

/* Some big memory became free. */
void iso_pages_review(struct iso_heap *h)
{
	size_t top = h->fresh > h->top ? h->fresh - h->top : 0;

	if (h->dirty + top >= h->keep && h->give != ISO_GIVE_NONE)
		iso_pages_release_free(h);
}

/* A big request took `clean` bytes that had been given back before. */
void iso_pages_reused(struct iso_heap *h, size_t size, size_t clean)
{
	if (clean < size / 2)
		return;
	h->keep += size;
	if (h->keep > ISO_KEEP_MAX)
		h->keep = ISO_KEEP_MAX;
}
