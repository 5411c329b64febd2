/*
 * The heap as others see it. Small requests are served by the front lists right
 * here; all else goes through iso_heap_enter, which minds the lock, and from
 * there to the checking or the plain allocator.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <string.h>

#include "heap_internal.h"

#define ISO_LOCK_SPINS 64

/* The short way is for heaps with neither lock nor checks. */
static void iso_heap_set_mode(struct iso_heap *h)
{
	int plain = !(h->flags & ISO_HEAP_CHECK) && !h->locking;

	h->fast_limit = plain ? ISO_FRONT_MAX + 1 : 0;
	h->fast_lo = h->first + ISO_CHUNK_DATA;
	h->fast_span = plain ? h->end - h->fast_lo : 0;
}

struct iso_heap *iso_heap_init(void *start, size_t size, unsigned flags)
{
	struct iso_heap *h = (struct iso_heap *)iso_up((uintptr_t)start, 64);
	uintptr_t end = iso_down((uintptr_t)start + size, ISO_PAGE);

	if ((uintptr_t)start + size < (uintptr_t)start || (uintptr_t)(h + 1) + ISO_PAGE > end)
		return NULL;
	h->magic = ISO_HEAP_MAGIC;
	h->flags = flags;
	h->first = h->top = h->fresh = h->highest = iso_up((uintptr_t)(h + 1), 16);
	h->ceiling = h->end = end;
	iso_access_init(h);
	h->review = h->top + ISO_REVIEW_STEP;
	h->keep = ISO_KEEP_MIN;
	h->extents.at = h->extents.inline_at;
	h->extents.room = ISO_EXTENTS_INLINE;
	iso_front_init(h);
	iso_heap_set_mode(h);
	return h;
}

static void iso_heap_enter(struct iso_heap *h)
{
	int spins = 0;

	if (ISO_LIKELY(!h->locking))
		return;
	while (__atomic_exchange_n(&h->lock, 1, __ATOMIC_ACQUIRE))
		while (__atomic_load_n(&h->lock, __ATOMIC_RELAXED))
			if (++spins % ISO_LOCK_SPINS == 0)
				sched_yield();
			else
				__builtin_ia32_pause();
}

static void iso_heap_leave(struct iso_heap *h)
{
	if (h->locking)
		__atomic_store_n(&h->lock, 0, __ATOMIC_RELEASE);
}

void iso_heap_lock_enable(struct iso_heap *h, int on)
{
	h->locking = on != 0;
	h->lock = 0;
	iso_heap_set_mode(h);
}

static __attribute__((noinline)) void *iso_heap_alloc_slow(struct iso_heap *h, size_t n)
{
	void *p;

	iso_heap_enter(h);
	p = h->flags & ISO_HEAP_CHECK ? iso_debug_alloc(h, n) : iso_raw_alloc(h, n, NULL);
	iso_heap_leave(h);
	return p;
}

void *iso_heap_alloc(struct iso_heap *h, size_t n)
{
	if (ISO_LIKELY(n < h->fast_limit)) {
		struct iso_chunk *c = iso_front_pop(h, iso_chunk_need(n) >> 4);
		if (ISO_LIKELY(c != NULL))
			return iso_chunk_data(c);
	}
	return iso_heap_alloc_slow(h, n);
}

static __attribute__((noinline)) void iso_heap_free_slow(struct iso_heap *h, void *p)
{
	if (p == NULL)
		return;
	iso_heap_enter(h);
	if (h->flags & ISO_HEAP_CHECK)
		iso_debug_free(h, p);
	else
		iso_raw_free(h, p);
	iso_heap_leave(h);
}

/*
 * The chunk of a block in use that a front list can take, or NULL: anything
 * unusual about p (NULL included) fails the tests and takes the long way.
 */
static inline struct iso_chunk *iso_heap_small_block(struct iso_heap *h, void *p)
{
	struct iso_chunk *c = iso_chunk_of(p);

	if (ISO_LIKELY((uintptr_t)p - h->fast_lo < h->fast_span && ((uintptr_t)p & 15) == 0) &&
	    ISO_LIKELY((c->head & (ISO_MAGIC_MASK | ISO_FREE | ISO_FRONT)) == ISO_MAGIC) &&
	    ISO_LIKELY(iso_chunk_size(c) >> 4 < ISO_FRONT_CLASSES))
		return c;
	return NULL;
}

void iso_heap_free(struct iso_heap *h, void *p)
{
	struct iso_chunk *c = iso_heap_small_block(h, p);

	if (ISO_UNLIKELY(c == NULL || !iso_front_push(h, c, iso_chunk_size(c) >> 4)))
		iso_heap_free_slow(h, p);
}

/* From one small size to another with the front lists alone; NULL when they cannot. */
static void *iso_heap_realloc_small(struct iso_heap *h, void *p, size_t n)
{
	struct iso_chunk *c = iso_heap_small_block(h, p), *to;
	size_t have, need = iso_chunk_need(n);

	if (c == NULL || n > ISO_FRONT_MAX)
		return NULL;
	have = iso_chunk_size(c);
	if (need <= have)
		return need >= have - have / 4 ? p : NULL;
	if (h->front[have >> 4].count >= h->front[have >> 4].limit || (to = iso_front_pop(h, need >> 4)) == NULL)
		return NULL;
	memcpy(iso_chunk_data(to), p, have - ISO_CHUNK_COST);
	iso_front_push(h, c, have >> 4);
	return iso_chunk_data(to);
}

void *iso_heap_calloc(struct iso_heap *h, size_t count, size_t size)
{
	size_t n;
	void *p;

	if (__builtin_mul_overflow(count, size, &n))
		return NULL;
	iso_heap_enter(h);
	p = h->flags & ISO_HEAP_CHECK ? iso_debug_calloc(h, n) : iso_raw_calloc(h, n, 0);
	iso_heap_leave(h);
	return p;
}

void *iso_heap_realloc(struct iso_heap *h, void *ptr, size_t n)
{
	void *p;

	if (ptr == NULL)
		return iso_heap_alloc(h, n);
	if ((p = iso_heap_realloc_small(h, ptr, n)) != NULL)
		return p;
	iso_heap_enter(h);
	p = h->flags & ISO_HEAP_CHECK ? iso_debug_realloc(h, ptr, n) : iso_raw_realloc(h, ptr, n);
	iso_heap_leave(h);
	return p;
}

void *iso_heap_memalign(struct iso_heap *h, size_t align, size_t n)
{
	void *p;

	if (align == 0 || (align & (align - 1)))
		return NULL;
	iso_heap_enter(h);
	p = h->flags & ISO_HEAP_CHECK ? iso_debug_memalign(h, align, n) : iso_raw_memalign(h, align, n, 0);
	iso_heap_leave(h);
	return p;
}

size_t iso_heap_usable(struct iso_heap *h, const void *ptr)
{
	size_t n;

	if (ptr == NULL)
		return 0;
	iso_heap_enter(h);
	if (h->flags & ISO_HEAP_CHECK)
		n = iso_debug_usable(h, ptr);
	else
		n = iso_raw_sound(h, ptr) ? iso_raw_usable(ptr) : 0;
	iso_heap_leave(h);
	return n;
}

void *iso_heap_map(struct iso_heap *h, size_t len)
{
	void *p;

	if (len == 0 || len > PTRDIFF_MAX)
		return NULL;
	iso_heap_enter(h);
	p = iso_map_alloc(h, iso_up(len, ISO_PAGE));
	if (p == NULL)
		iso_raw_refuse(h, len);
	iso_heap_leave(h);
	return p;
}

void *iso_heap_map_at(struct iso_heap *h, void *addr, size_t len)
{
	void *p;

	if (len == 0 || len > PTRDIFF_MAX || (uintptr_t)addr & (ISO_PAGE - 1))
		return NULL;
	iso_heap_enter(h);
	p = iso_map_place(h, (uintptr_t)addr, iso_up(len, ISO_PAGE));
	iso_heap_leave(h);
	return p;
}

int iso_heap_vacant(struct iso_heap *h, void *addr, size_t len)
{
	int vacant;

	iso_heap_enter(h);
	vacant = iso_map_is_vacant(h, (uintptr_t)addr, len);
	iso_heap_leave(h);
	return vacant;
}

int iso_heap_unmap(struct iso_heap *h, void *ptr, size_t len)
{
	int rc;

	if (len == 0 || len > PTRDIFF_MAX || (uintptr_t)ptr & (ISO_PAGE - 1))
		return -1;
	iso_heap_enter(h);
	rc = iso_map_drop(h, (uintptr_t)ptr, iso_up(len, ISO_PAGE));
	iso_heap_leave(h);
	return rc;
}

void *iso_heap_remap(struct iso_heap *h, void *ptr, size_t old_len, size_t new_len, int may_move)
{
	void *p;

	if (old_len == 0 || new_len == 0 || old_len > PTRDIFF_MAX || new_len > PTRDIFF_MAX ||
	    (uintptr_t)ptr & (ISO_PAGE - 1))
		return NULL;
	iso_heap_enter(h);
	p = iso_map_resize(h, (uintptr_t)ptr, iso_up(old_len, ISO_PAGE), iso_up(new_len, ISO_PAGE), may_move);
	if (p == NULL && may_move)
		iso_raw_refuse(h, new_len);
	iso_heap_leave(h);
	return p;
}

int iso_heap_owns(struct iso_heap *h, const void *ptr)
{
	return (uintptr_t)ptr >= (uintptr_t)h && (uintptr_t)ptr < h->end;
}

int iso_heap_is_checking(const struct iso_heap *h)
{
	return (h->flags & ISO_HEAP_CHECK) != 0;
}

size_t iso_heap_trim(struct iso_heap *h)
{
	size_t n;

	iso_heap_enter(h);
	iso_front_flush_all(h);
	n = iso_pages_release_free(h);
	h->keep = ISO_KEEP_MIN;
	iso_heap_leave(h);
	return n;
}
