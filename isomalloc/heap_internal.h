/* Layout of a heap and what its object files share. Not for other packages. */
#ifndef AMPIRUN_ISO_HEAP_INTERNAL_H
#define AMPIRUN_ISO_HEAP_INTERNAL_H

#include "heap.h"

#define ISO_LIKELY(x) __builtin_expect(!!(x), 1)
#define ISO_UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ISO_HIDDEN __attribute__((visibility("hidden")))

#define ISO_PAGE ((uintptr_t)4096)
#define ISO_HUGE ((uintptr_t)2 << 20)

/*
 * A chunk's head word: 16 bits of magic, 44 bits of size (a multiple of 16),
 * and four flags. The magic and the two "free" flags make most wild and double
 * frees visible at the price of one compare.
 */
#define ISO_MAGIC ((uint64_t)0xA3B1 << 48)
#define ISO_MAGIC_MASK ((uint64_t)0xFFFF << 48)
#define ISO_SIZE_MASK ((uint64_t)0x0000FFFFFFFFFFF0)
#define ISO_FREE ((uint64_t)1)      /* in a bin, or the carving chunk */
#define ISO_PREV_FREE ((uint64_t)2) /* the chunk before is ISO_FREE, prev_size is valid */
#define ISO_FRONT ((uint64_t)4)     /* freed by the program, kept in a front list */
#define ISO_CLEAN ((uint64_t)8)     /* free, and clean_lo/clean_hi are valid */
#define ISO_ROOMY ((uint64_t)8)     /* in use, longer than asked for: its last word tells by how much */

/*
 * Chunks tile the block area without gaps. The program's bytes begin after
 * `head` and run to the `head` of the next chunk: prev_size belongs to the chunk
 * before as long as that one is in use, so a block costs 8 bytes.
 */
struct iso_chunk {
	uint64_t prev_size;
	uint64_t head;
	struct iso_chunk *next; /* front list, or bin */
	struct iso_chunk *prev; /* bin */
	uintptr_t clean_lo;     /* ISO_CLEAN: bytes in between read as zero */
	uintptr_t clean_hi;
};

#define ISO_CHUNK_DATA ((size_t)16)
#define ISO_CHUNK_COST ((size_t)8)
#define ISO_CHUNK_MIN ((size_t)32)

struct iso_span {
	uintptr_t lo, hi;
};

/* Freed blocks of one exact size, newest first. */
struct iso_front {
	struct iso_chunk *head;
	uint32_t count;
	uint32_t limit : 31;
	uint32_t flushed : 1; /* since the list last ran empty */
};

#define ISO_FRONT_MAX ((size_t)1024) /* largest request served by front lists */
#define ISO_FRONT_CLASSES ((ISO_FRONT_MAX + ISO_CHUNK_COST + 15) / 16 + 1)

#define ISO_SMALL_BINS 64 /* chunks below 1 KiB: one bin per size */
#define ISO_FL_FIRST 10
#define ISO_FL_COUNT 36 /* up to 2^46 bytes */
#define ISO_SL_BITS 4
#define ISO_SL_COUNT (1 << ISO_SL_BITS)

#define ISO_TRACK_MIN ((size_t)16 << 10)   /* free chunks from here on know their clean bytes */
#define ISO_BIG_MIN ((size_t)128 << 10)    /* free chunks from here on are given back */
#define ISO_KEEP_MIN ((size_t)256 << 10)   /* dirty free bytes kept, at first */
#define ISO_KEEP_MAX ((size_t)256 << 20)   /* and at most */
#define ISO_CARVE_MAX ((size_t)64 << 10)   /* larger remainders go to the bins */
#define ISO_REVIEW_STEP ((size_t)64 << 10) /* growth between looks at the front lists */
#define ISO_EXTENTS_INLINE 8

enum iso_give { ISO_GIVE_REMOVE, ISO_GIVE_DONTNEED, ISO_GIVE_NONE };

/*
 * The order of the members matters: what every allocation reads comes first, and
 * the bins of big chunks, which a small program never touches, lie on a second page.
 */
struct iso_heap {
	size_t fast_limit;   /* requests below may use the front lists; 0 when locking or checking */
	uintptr_t fast_lo;   /* first possible block */
	size_t fast_span;    /* frees in [fast_lo, +fast_span) may use the front lists; or 0 */
	uintptr_t top;       /* end of the last chunk: the wilderness starts here */
	uintptr_t fresh;     /* from here to the mappings all bytes are zero */
	uintptr_t ceiling;   /* lowest mapping, or the end of the area */
	uintptr_t review;    /* look at the front lists when top passes this */
	struct iso_chunk *carve; /* small requests are cut from this one */
	struct iso_front front[ISO_FRONT_CLASSES];

	uint64_t magic;
	uintptr_t open; /* blocks may reach to here: what lies beyond cannot be touched, but for mappings */
	uint64_t changes; /* of what can be touched */
	uintptr_t first, end; /* first chunk; end of the area */
	uintptr_t highest;    /* highest `fresh` ever */
	size_t binned;        /* bytes in bins and the carving chunk */
	size_t peak;
	size_t dirty;         /* bytes in big binned chunks that are not clean */
	size_t keep;          /* give pages back when more than this is dirty */
	size_t released, mapped, refused;
	size_t roomy;         /* blocks that are ISO_ROOMY, a count */
	uint32_t flags;
	uint32_t locking;
	uint32_t lock;
	uint32_t give; /* enum iso_give */

	struct iso_extent_list {
		struct iso_span *at; /* sorted, disjoint, not touching */
		size_t count, room;
		struct iso_span inline_at[ISO_EXTENTS_INLINE];
	} extents;

	struct iso_quarantine { /* ISO_HEAP_CHECK: freed blocks, oldest first */
		struct iso_guard *oldest, *newest;
		size_t bytes;
	} quarantine;

	uint64_t fl_map;
	uint64_t small_map;
	uint16_t sl_map[ISO_FL_COUNT];
	struct iso_chunk *small[ISO_SMALL_BINS];
	struct iso_chunk *large[ISO_FL_COUNT][ISO_SL_COUNT];
};

#define ISO_HEAP_MAGIC UINT64_C(0x69736f2d68656170)

static inline size_t iso_chunk_size(const struct iso_chunk *c)
{
	return c->head & ISO_SIZE_MASK;
}

static inline struct iso_chunk *iso_chunk_at(uintptr_t addr)
{
	return (struct iso_chunk *)addr;
}

static inline struct iso_chunk *iso_chunk_after(const struct iso_chunk *c, size_t size)
{
	return (struct iso_chunk *)((uintptr_t)c + size);
}

static inline struct iso_chunk *iso_chunk_of(const void *ptr)
{
	return (struct iso_chunk *)((uintptr_t)ptr - ISO_CHUNK_DATA);
}

static inline void *iso_chunk_data(const struct iso_chunk *c)
{
	return (void *)((uintptr_t)c + ISO_CHUNK_DATA);
}

/* Chunk size for a request of n bytes, n <= PTRDIFF_MAX. */
static inline size_t iso_chunk_need(size_t n)
{
	return n <= ISO_CHUNK_MIN - ISO_CHUNK_COST ? ISO_CHUNK_MIN : (n + ISO_CHUNK_COST + 15) & ~(size_t)15;
}

static inline uintptr_t iso_up(uintptr_t x, uintptr_t unit)
{
	return (x + unit - 1) & ~(unit - 1);
}

static inline uintptr_t iso_down(uintptr_t x, uintptr_t unit)
{
	return x & ~(unit - 1);
}

static inline uintptr_t iso_span_len(struct iso_span s)
{
	return s.hi > s.lo ? s.hi - s.lo : 0;
}

static inline struct iso_span iso_span_cut(struct iso_span s, uintptr_t lo, uintptr_t hi)
{
	if (s.lo < lo)
		s.lo = lo;
	if (s.hi > hi)
		s.hi = hi;
	if (s.hi <= s.lo)
		s.lo = s.hi = 0;
	return s;
}

/* heap_bins.c: chunks by size. */
ISO_HIDDEN void iso_bins_insert(struct iso_heap *h, struct iso_chunk *c);
ISO_HIDDEN void iso_bins_remove(struct iso_heap *h, struct iso_chunk *c);
ISO_HIDDEN struct iso_chunk *iso_bins_find(struct iso_heap *h, size_t size);
ISO_HIDDEN struct iso_chunk *iso_bins_next(struct iso_heap *h, struct iso_chunk *c, size_t min);

/* heap_chunk.c: cutting and joining chunks. `zero` receives bytes known to be zero. */
ISO_HIDDEN struct iso_chunk *iso_chunk_take(struct iso_heap *h, size_t size, struct iso_span *zero);
ISO_HIDDEN struct iso_chunk *iso_chunk_take_small(struct iso_heap *h, size_t size);
ISO_HIDDEN void iso_chunk_make_room(struct iso_heap *h);
ISO_HIDDEN void iso_chunk_release(struct iso_heap *h, struct iso_chunk *c);
ISO_HIDDEN int iso_chunk_grow(struct iso_heap *h, struct iso_chunk *c, size_t size);
ISO_HIDDEN void iso_chunk_shrink(struct iso_heap *h, struct iso_chunk *c, size_t size);
ISO_HIDDEN struct iso_chunk *iso_chunk_trim_front(struct iso_heap *h, struct iso_chunk *c, size_t lead);

/* heap_pages.c: giving pages back. */
ISO_HIDDEN void iso_pages_review(struct iso_heap *h);
ISO_HIDDEN void iso_pages_reused(struct iso_heap *h, size_t size, size_t clean);
ISO_HIDDEN size_t iso_pages_release_free(struct iso_heap *h);
ISO_HIDDEN void iso_pages_zero(struct iso_heap *h, uintptr_t lo, uintptr_t hi);

/* heap_front.c: small freed blocks. */
ISO_HIDDEN void iso_front_init(struct iso_heap *h);
ISO_HIDDEN void iso_front_missed(struct iso_front *f);
ISO_HIDDEN void iso_front_overflow(struct iso_heap *h, struct iso_front *f);
ISO_HIDDEN void iso_front_flush_all(struct iso_heap *h);
ISO_HIDDEN size_t iso_front_bytes(const struct iso_heap *h);
ISO_HIDDEN struct iso_chunk *iso_front_damaged(struct iso_heap *h, struct iso_front *f);

/*
 * Takes the newest block of a front list, or NULL. `index` is its size over 16.
 * The head is compared whole: a block written to after its free does not pass.
 */
static inline struct iso_chunk *iso_front_pop(struct iso_heap *h, size_t index)
{
	struct iso_front *f = &h->front[index];
	struct iso_chunk *c = f->head;

	if (ISO_UNLIKELY(c == NULL))
		return NULL;
	if (ISO_UNLIKELY(((uintptr_t)c & 15) || (uintptr_t)c - h->first >= h->top - h->first ||
			 (c->head & ~ISO_PREV_FREE) != (ISO_MAGIC | index << 4 | ISO_FRONT)))
		return iso_front_damaged(h, f);
	f->head = c->next;
	f->count--;
	c->head &= ~ISO_FRONT;
	return c;
}

/* Keeps a block the program freed; 0 when its list is full. */
static inline int iso_front_push(struct iso_heap *h, struct iso_chunk *c, size_t index)
{
	struct iso_front *f = &h->front[index];

	if (ISO_UNLIKELY(f->count >= f->limit))
		return 0;
	c->head |= ISO_FRONT;
	c->next = f->head;
	f->head = c;
	f->count++;
	return 1;
}

/* heap_access.c: what of the area can be touched. */
ISO_HIDDEN void iso_access_init(struct iso_heap *h);
ISO_HIDDEN int iso_access_extend(struct iso_heap *h, uintptr_t top);
ISO_HIDDEN void iso_access_shrink(struct iso_heap *h);
ISO_HIDDEN int iso_access_open(struct iso_heap *h, uintptr_t lo, uintptr_t hi);
ISO_HIDDEN int iso_access_close(struct iso_heap *h, uintptr_t lo, uintptr_t hi);

/* heap_raw.c: the allocator without lock and debug checks. */
ISO_HIDDEN void *iso_raw_alloc(struct iso_heap *h, size_t n, struct iso_span *zero);
ISO_HIDDEN void iso_raw_free(struct iso_heap *h, void *ptr);
ISO_HIDDEN void *iso_raw_realloc(struct iso_heap *h, void *ptr, size_t n);
ISO_HIDDEN void *iso_raw_memalign(struct iso_heap *h, size_t align, size_t n, size_t offset);
ISO_HIDDEN void *iso_raw_calloc(struct iso_heap *h, size_t n, size_t offset);
ISO_HIDDEN size_t iso_raw_usable(const void *ptr);
ISO_HIDDEN void iso_raw_drain_all(struct iso_heap *h);
ISO_HIDDEN int iso_raw_sound(struct iso_heap *h, const void *ptr);
ISO_HIDDEN void iso_raw_refuse(struct iso_heap *h, size_t wanted);

/* heap_debug.c: the same with redzones, poison and quarantine. */
ISO_HIDDEN void *iso_debug_alloc(struct iso_heap *h, size_t n);
ISO_HIDDEN void *iso_debug_calloc(struct iso_heap *h, size_t n);
ISO_HIDDEN void iso_debug_free(struct iso_heap *h, void *ptr);
ISO_HIDDEN void *iso_debug_realloc(struct iso_heap *h, void *ptr, size_t n);
ISO_HIDDEN void *iso_debug_memalign(struct iso_heap *h, size_t align, size_t n);
ISO_HIDDEN size_t iso_debug_usable(struct iso_heap *h, const void *ptr);
ISO_HIDDEN const char *iso_debug_inspect(struct iso_heap *h, const void *data, size_t usable);
ISO_HIDDEN void iso_debug_corrupt(struct iso_heap *h, const void *ptr, const char *what);

/* heap_map.c: the mappings' bookkeeping. */
ISO_HIDDEN void *iso_map_alloc(struct iso_heap *h, size_t len);
ISO_HIDDEN void *iso_map_place(struct iso_heap *h, uintptr_t lo, size_t len);
ISO_HIDDEN int iso_map_is_vacant(const struct iso_heap *h, uintptr_t lo, size_t len);
ISO_HIDDEN int iso_map_drop(struct iso_heap *h, uintptr_t lo, size_t len);
ISO_HIDDEN void *iso_map_resize(struct iso_heap *h, uintptr_t lo, size_t old_len, size_t new_len, int may_move);

#endif
