/* The allocator proper, without lock and debug checks. */
#include <string.h>

#include "heap_internal.h"

#define ISO_ROOMY_MIN ((size_t)64 << 10)

static void (*iso_raw_full_report)(struct iso_heap *heap, size_t wanted);

void iso_heap_on_full(void (*report)(struct iso_heap *heap, size_t wanted))
{
	iso_raw_full_report = report;
}

/* Counts a refusal; the first one of a heap is reported. */
void iso_raw_refuse(struct iso_heap *h, size_t wanted)
{
	if (h->refused++ == 0 && iso_raw_full_report)
		iso_raw_full_report(h, wanted);
}

/* n bytes; `zero`, if asked for, receives a range of them known to be zero. */
void *iso_raw_alloc(struct iso_heap *h, size_t n, struct iso_span *zero)
{
	struct iso_chunk *c = NULL;
	size_t size;

	if (zero)
		*zero = (struct iso_span){0, 0};
	if (n > PTRDIFF_MAX)
		return NULL;
	size = iso_chunk_need(n);
	if (n > ISO_FRONT_MAX) {
		c = iso_chunk_take(h, size, zero);
	} else if ((c = iso_front_pop(h, size >> 4)) == NULL) {
		iso_front_missed(&h->front[size >> 4]);
		c = iso_chunk_take_small(h, size);
	}
	if (c)
		return iso_chunk_data(c);
	iso_raw_refuse(h, n);
	return NULL;
}

/* 1 if ptr is a block in use as far as its head tells; otherwise reports it and gives 0. */
int iso_raw_sound(struct iso_heap *h, const void *ptr)
{
	const struct iso_chunk *c = iso_chunk_of(ptr);
	uintptr_t addr = (uintptr_t)c;
	const char *what = NULL;

	if (addr & 15)
		what = "pointer is not aligned as blocks are";
	else if (addr < h->first || addr >= h->top)
		what = "pointer is outside the heap";
	else if ((c->head & ISO_MAGIC_MASK) != ISO_MAGIC)
		what = "not the start of a block, freed twice, or memory before it was overwritten";
	else if (c->head & (ISO_FREE | ISO_FRONT))
		what = "block is free already";
	else if (iso_chunk_size(c) > h->top - addr || iso_chunk_size(c) < ISO_CHUNK_MIN)
		what = "size of the block was overwritten";
	if (what == NULL)
		return 1;
	iso_debug_corrupt(h, ptr, what);
	return 0;
}

void iso_raw_free(struct iso_heap *h, void *ptr)
{
	struct iso_chunk *c = iso_chunk_of(ptr);
	size_t index;

	if (!iso_raw_sound(h, ptr))
		return;
	index = iso_chunk_size(c) >> 4;
	if (index >= ISO_FRONT_CLASSES) {
		h->roomy -= (c->head & ISO_ROOMY) != 0;
		iso_chunk_release(h, c);
		return;
	}
	if (iso_front_push(h, c, index))
		return;
	iso_front_overflow(h, &h->front[index]);
	iso_front_push(h, c, index);
}

/* The last word of a roomy chunk: how many bytes the program asked for. */
static size_t *iso_raw_asked(struct iso_chunk *c)
{
	return (size_t *)((uintptr_t)c + iso_chunk_size(c) + ISO_CHUNK_COST - sizeof(size_t));
}

/* Bytes of a block in use that may hold the program's data. */
size_t iso_raw_usable(const void *ptr)
{
	struct iso_chunk *c = iso_chunk_of(ptr);

	return c->head & ISO_ROOMY ? *iso_raw_asked(c) : iso_chunk_size(c) - ISO_CHUNK_COST;
}

/*
 * How much to take for a block of n bytes that outgrew its place. Growing
 * buffers grow again, and the wilderness costs nothing until it is touched: while
 * there is plenty of it, big ones get far more than they need.
 */
static size_t iso_raw_larger(const struct iso_heap *h, size_t n)
{
	size_t room = h->ceiling - h->top;

	if (n < ISO_ROOMY_MIN || n > room / 16)
		return n;
	return n > room / 128 ? 3 * n : 8 * n;
}

static void *iso_raw_alloc_larger(struct iso_heap *h, size_t n)
{
	size_t larger = iso_raw_larger(h, n);
	void *p = iso_raw_alloc(h, larger, NULL);
	struct iso_chunk *c = iso_chunk_of(p);

	if (p && larger > n) {
		c->head |= ISO_ROOMY;
		*iso_raw_asked(c) = n;
		h->roomy++;
	}
	return p;
}

/* Cuts a roomy block to n bytes for good. */
static void iso_raw_drain(struct iso_heap *h, struct iso_chunk *c, size_t n)
{
	c->head &= ~ISO_ROOMY;
	h->roomy--;
	iso_chunk_shrink(h, c, iso_chunk_need(n));
}

/* Memory is short: all roomy blocks give up what they do not use. */
void iso_raw_drain_all(struct iso_heap *h)
{
	for (uintptr_t at = h->first; at < h->top && h->roomy > 0; at += iso_chunk_size(iso_chunk_at(at))) {
		struct iso_chunk *c = iso_chunk_at(at);
		if (!(c->head & ISO_FREE) && (c->head & ISO_ROOMY))
			iso_raw_drain(h, c, *iso_raw_asked(c));
	}
}

static void *iso_raw_move(struct iso_heap *h, void *ptr, size_t n)
{
	size_t old = iso_raw_usable(ptr);
	void *to = iso_raw_alloc_larger(h, n);

	if (to == NULL)
		return NULL;
	memcpy(to, ptr, old < n ? old : n);
	iso_raw_free(h, ptr);
	return to;
}

/* Within a roomy block, until the program asks for much less than before: then it is done growing. */
static int iso_raw_resize_roomy(struct iso_heap *h, struct iso_chunk *c, size_t n)
{
	size_t *asked = iso_raw_asked(c);

	if (n > iso_chunk_size(c) - ISO_CHUNK_COST - sizeof *asked)
		return 0;
	if (n + ISO_BIG_MIN > *asked) {
		*asked = n;
		return 1;
	}
	iso_raw_drain(h, c, n);
	return 1;
}

/* Shrinking by less than a quarter keeps the room, for blocks go up and down. */
static int iso_raw_resize(struct iso_heap *h, struct iso_chunk *c, size_t n)
{
	size_t need = iso_chunk_need(n), have = iso_chunk_size(c);

	if (need > have)
		return iso_chunk_grow(h, c, need);
	if (need < have - have / 4)
		iso_chunk_shrink(h, c, need);
	return 1;
}

void *iso_raw_realloc(struct iso_heap *h, void *ptr, size_t n)
{
	struct iso_chunk *c = iso_chunk_of(ptr);

	if (!iso_raw_sound(h, ptr) || n > PTRDIFF_MAX)
		return NULL;
	if (c->head & ISO_ROOMY ? iso_raw_resize_roomy(h, c, n) : iso_raw_resize(h, c, n))
		return ptr;
	return iso_raw_move(h, ptr, n);
}

/* n bytes such that (result + offset) is a multiple of align, a power of two. */
void *iso_raw_memalign(struct iso_heap *h, size_t align, size_t n, size_t offset)
{
	struct iso_chunk *c;
	uintptr_t at, lead;

	if (align <= 16)
		return iso_raw_alloc(h, n, NULL);
	if (n > PTRDIFF_MAX || align > PTRDIFF_MAX / 2)
		return NULL;
	c = iso_chunk_take(h, iso_chunk_need(n) + align + ISO_CHUNK_MIN, NULL);
	if (c == NULL) {
		iso_raw_refuse(h, n);
		return NULL;
	}
	at = (uintptr_t)iso_chunk_data(c) + offset;
	lead = iso_up(at, align) - at;
	if (lead != 0 && lead < ISO_CHUNK_MIN)
		lead += align;
	if (lead)
		c = iso_chunk_trim_front(h, c, lead);
	iso_chunk_shrink(h, c, iso_chunk_need(n));
	return iso_chunk_data(c);
}

/* n bytes of zeroes from `offset` on; the bytes before are as they come. */
void *iso_raw_calloc(struct iso_heap *h, size_t n, size_t offset)
{
	struct iso_span zero;
	char *ptr = iso_raw_alloc(h, n, &zero);
	uintptr_t lo = (uintptr_t)ptr + offset, hi = (uintptr_t)ptr + n;

	if (ptr == NULL)
		return NULL;
	zero = iso_span_cut(zero, lo, hi);
	if (iso_span_len(zero) == 0)
		zero.lo = zero.hi = hi;
	memset((void *)lo, 0, zero.lo - lo);
	memset((void *)zero.hi, 0, hi - zero.hi);
	return ptr;
}
