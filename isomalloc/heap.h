/*
 * The heap of one rank: an allocator whose whole state lies in the area it
 * serves, so that whoever maps the area at the same address, now or after a
 * restart, goes on with it.
 *
 * All functions run on any stack, never block (except on the heap's own lock)
 * and never switch ranks. They leave errno to the caller. An area is used by
 * one thread at a time unless iso_heap_lock_enable says otherwise.
 */
#ifndef AMPIRUN_ISO_HEAP_H
#define AMPIRUN_ISO_HEAP_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct iso_heap;

/* Redzones, poisoned and quarantined freed memory, misuse found and named. */
#define ISO_HEAP_CHECK 1u

/* What a heap holds, in bytes. */
struct iso_heap_stats {
	uint64_t used;     /* in blocks the program holds, headers included */
	uint64_t peak;     /* highest `used` seen; free blocks kept in front lists count */
	uint64_t cached;   /* in freed small blocks kept for reuse as they are */
	uint64_t touched;  /* of the block area, at most this much is backed by pages */
	uint64_t released; /* given back to the system since the start */
	uint64_t mapped;   /* in live mappings of iso_heap_map */
	uint64_t area;     /* size of the whole area */
	uint64_t refused;  /* requests answered with NULL, a count */
};

/*
 * Makes a heap of [start, start+size) and returns it; NULL when the area is too
 * small to hold one. The area must read as zeroes, be readable and writable,
 * and be mapped at this address wherever the heap is used. Touches one page.
 */
struct iso_heap *iso_heap_init(void *start, size_t size, unsigned flags);

/*
 * The allocation functions, as their C library namesakes. Blocks are aligned to
 * 16 bytes. NULL means that the area is full, or that the size is beyond
 * PTRDIFF_MAX. A size of 0 gives a block of its own.
 */
void *iso_heap_alloc(struct iso_heap *heap, size_t size);
void *iso_heap_calloc(struct iso_heap *heap, size_t count, size_t size);
void iso_heap_free(struct iso_heap *heap, void *ptr);

/* ptr may be NULL. Size 0 gives a block of minimal size; it frees nothing. */
void *iso_heap_realloc(struct iso_heap *heap, void *ptr, size_t size);

/* align must be a power of two; NULL otherwise. */
void *iso_heap_memalign(struct iso_heap *heap, size_t align, size_t size);

/* Bytes of the block that the program may use; 0 for NULL. */
size_t iso_heap_usable(struct iso_heap *heap, const void *ptr);

/*
 * Anonymous mappings, taken from the top of the area downwards. Lengths are
 * rounded up to pages; fresh mappings read as zeroes.
 *
 * iso_heap_map gives NULL when there is no room (or len is 0).
 * iso_heap_map_at puts a mapping at a fixed address, replacing what was mapped
 * there; NULL when the range is not free for mappings (outside the area, or
 * reached by blocks) or addr is not page-aligned.
 * iso_heap_unmap takes any range of pages of the map zone, as munmap does:
 * parts of mappings, several at once, or nothing mapped at all; -1 for a range
 * that is not page-aligned or leaves the map zone, or when a mapping cannot be
 * split for want of memory. It makes the pages readable and writable again.
 * Whoever maps something else over part of a mapping (a file, say) must put the
 * region's own pages back before unmapping it.
 * iso_heap_remap changes the length of the mapping [ptr, ptr+old_len), moving it
 * only if may_move; NULL when that cannot be done, and then nothing has changed.
 */
void *iso_heap_map(struct iso_heap *heap, size_t len);
void *iso_heap_map_at(struct iso_heap *heap, void *addr, size_t len);
int iso_heap_unmap(struct iso_heap *heap, void *ptr, size_t len);
void *iso_heap_remap(struct iso_heap *heap, void *ptr, size_t old_len, size_t new_len, int may_move);

/* Whether iso_heap_map_at could use [addr, addr+len) without taking anything away. */
int iso_heap_vacant(struct iso_heap *heap, void *addr, size_t len);

/* Whether ptr lies in the heap's area, mappings included. */
int iso_heap_owns(struct iso_heap *heap, const void *ptr);

/*
 * While on, every operation takes a spinning lock kept in the heap: for ranks
 * that run threads of their own. Switch it on before the second thread starts
 * and off after it ended.
 */
void iso_heap_lock_enable(struct iso_heap *heap, int on);

/* Whether it was made with ISO_HEAP_CHECK. */
int iso_heap_is_checking(const struct iso_heap *heap);

/*
 * Keeps what holds nothing out of reach. `change` opens [lo, hi), whole pages, before the heap uses it, and closes it when the heap has given it
 * up; it returns 0, or -1 when that cannot be. Closing also makes the memory read as zeroes when it is opened again. It runs with the heap's lock
 * held and must not call back. Heaps made from then on begin with no more open than a first piece, whatever their area allows; those that were
 * made before stay as they are. NULL: all is open. One for each process.
 */
typedef int (*iso_heap_access)(struct iso_heap *heap, uintptr_t lo, uintptr_t hi, int open);
void iso_heap_on_access(iso_heap_access change);

struct iso_range {
	uintptr_t lo, hi;
};

/* What a heap has open, ascending, at most `max` ranges: the last one then reaches over holes. The number of ranges, 1 or more. */
size_t iso_heap_open(const struct iso_heap *heap, struct iso_range *out, size_t max);

/* A number that changes whenever that does. */
uint64_t iso_heap_changes(const struct iso_heap *heap);

/* What an address of the area is to the heap. */
enum iso_place { ISO_IN_BLOCKS, ISO_PAST_BLOCKS, ISO_IN_MAPPING, ISO_NOT_MAPPED };
enum iso_place iso_heap_place(const struct iso_heap *heap, uintptr_t addr);

/* Gives back every page that free memory occupies; returns the bytes given back. */
size_t iso_heap_trim(struct iso_heap *heap);

/*
 * Walks everything. 0: sound; otherwise -1, and why (of n bytes) says what is
 * wrong and where. Takes time in proportion to the number of blocks.
 */
int iso_heap_check(struct iso_heap *heap, char *why, size_t n);

void iso_heap_stats(struct iso_heap *heap, struct iso_heap_stats *stats);

/*
 * About how many bytes a copy of the heap would carry: blocks, mappings, and
 * free memory that was not given back. A few loads, without the lock: any thread
 * of any process that maps the area may ask while the heap is in use, and then
 * gets a value that never quite was.
 */
uint64_t iso_heap_held(const struct iso_heap *heap);

/*
 * Handlers, one each per process; NULL restores the default. Both may run with
 * the heap's lock held and must not call back into the heap.
 *
 * on_full runs at the first refusal of each heap; the default does nothing.
 * on_corruption runs when misuse or damage is found; the default prints one
 * line and aborts. If it returns, the call that found it does nothing (frees),
 * or gives NULL.
 */
void iso_heap_on_full(void (*report)(struct iso_heap *heap, size_t wanted));
void iso_heap_on_corruption(void (*report)(struct iso_heap *heap, const void *ptr, const char *what));

#ifdef __cplusplus
}
#endif
#endif
