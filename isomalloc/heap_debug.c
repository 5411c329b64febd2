/*
 * ISO_HEAP_CHECK: every block lies between a guard and a redzone; freed blocks
 * are poisoned and wait in a queue before they are used again, so that late
 * writes and second frees are found.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap_internal.h"

/* Lies right before the program's bytes; `cookie` is the word they would underrun into. */
struct iso_guard {
	struct iso_guard *next; /* in quarantine */
	uint64_t size;          /* as asked for */
	uint64_t spare;
	uint64_t cookie;
};

#define ISO_GUARD sizeof(struct iso_guard)
#define ISO_REDZONE ((size_t)16) /* at least: it runs to the end of the chunk */
#define ISO_REDZONE_BYTE 0xFD
#define ISO_POISON_BYTE 0xDF
#define ISO_COOKIE_LIVE UINT64_C(0x6c69766521626c6b)
#define ISO_COOKIE_DEAD UINT64_C(0x6465616421626c6b)
#define ISO_POISON_MAX ((size_t)64 << 10)     /* bigger blocks are freed at once */
#define ISO_QUARANTINE_MAX ((size_t)1 << 20)  /* bytes */

_Static_assert(sizeof(struct iso_guard) == 32, "blocks stay aligned to 16 bytes");

static void (*iso_debug_report)(struct iso_heap *heap, const void *ptr, const char *what);

void iso_heap_on_corruption(void (*report)(struct iso_heap *heap, const void *ptr, const char *what))
{
	iso_debug_report = report;
}

void iso_debug_corrupt(struct iso_heap *h, const void *ptr, const char *what)
{
	char line[256];
	int n;

	if (iso_debug_report) {
		iso_debug_report(h, ptr, what);
		return;
	}
	n = snprintf(line, sizeof line, "isomalloc: block %p: %s\n", ptr, what);
	if (write(STDERR_FILENO, line, (size_t)n) < 0)
		abort();
	abort();
}

static struct iso_guard *iso_guard_of(const void *ptr)
{
	return (struct iso_guard *)((uintptr_t)ptr - ISO_GUARD);
}

static uint64_t iso_guard_cookie(const struct iso_guard *g, uint64_t kind)
{
	return kind ^ ((uintptr_t)g * UINT64_C(0x9E3779B97F4A7C15)) ^ g->size;
}

static unsigned char *iso_guard_redzone(const struct iso_guard *g, size_t *len)
{
	unsigned char *at = (unsigned char *)(g + 1) + g->size;
	uintptr_t end = (uintptr_t)g + iso_chunk_size(iso_chunk_of(g)) - ISO_CHUNK_COST;

	*len = end - (uintptr_t)at;
	return at;
}

static int iso_guard_all(const unsigned char *at, size_t n, unsigned char byte)
{
	while (n > 0 && *at == byte)
		at++, n--;
	return n == 0;
}

/* Dresses a raw block for the program. */
static void *iso_guard_open(struct iso_guard *g, size_t n)
{
	unsigned char *red;
	size_t len;

	if (g == NULL)
		return NULL;
	g->size = n;
	g->cookie = iso_guard_cookie(g, ISO_COOKIE_LIVE);
	red = iso_guard_redzone(g, &len);
	memset(red, ISO_REDZONE_BYTE, len);
	return g + 1;
}

static size_t iso_guard_room(size_t n)
{
	return n > PTRDIFF_MAX - 4096 ? n : n + ISO_GUARD + ISO_REDZONE;
}

/*
 * What is wrong with the block that begins with this guard, or NULL. The chunk
 * it fills has `usable` bytes; the size in the guard is believed only with the cookie.
 */
static const char *iso_guard_inspect(const struct iso_guard *g, size_t usable)
{
	const unsigned char *red;
	size_t len;

	if (g->cookie == iso_guard_cookie(g, ISO_COOKIE_LIVE)) {
		if (g->size > usable - ISO_GUARD - ISO_REDZONE)
			return "its head was overwritten";
		red = iso_guard_redzone(g, &len);
		return iso_guard_all(red, len, ISO_REDZONE_BYTE) ? NULL : "written past its end";
	}
	if (g->cookie != iso_guard_cookie(g, ISO_COOKIE_DEAD))
		return "memory before it was overwritten";
	return iso_guard_all((const unsigned char *)(g + 1), g->size, ISO_POISON_BYTE) ? NULL :
										  "written to after it was freed";
}

/* The same for the walk, which knows chunks: `data` is the raw block. */
const char *iso_debug_inspect(struct iso_heap *h, const void *data, size_t usable)
{
	(void)h;
	if (usable < ISO_GUARD + ISO_REDZONE)
		return "its size was overwritten";
	return iso_guard_inspect(data, usable);
}

/* The guard of a live and sound block; otherwise NULL, after reporting it. */
static struct iso_guard *iso_debug_live(struct iso_heap *h, const void *ptr)
{
	struct iso_guard *g = iso_guard_of(ptr);
	uintptr_t addr = (uintptr_t)ptr;
	const char *what;

	if (addr & 15)
		what = "pointer is not aligned as blocks are";
	else if (addr < h->first + ISO_CHUNK_DATA + ISO_GUARD || addr >= h->top)
		what = "pointer is outside the heap";
	else if (g->cookie == iso_guard_cookie(g, ISO_COOKIE_DEAD))
		what = "block is free already";
	else if (g->cookie != iso_guard_cookie(g, ISO_COOKIE_LIVE))
		what = "not the start of a block, or memory before it was overwritten";
	else if (!iso_raw_sound(h, g))
		return NULL;
	else
		what = iso_guard_inspect(g, iso_chunk_size(iso_chunk_of(g)) - ISO_CHUNK_COST);
	if (what == NULL)
		return g;
	iso_debug_corrupt(h, ptr, what);
	return NULL;
}

/*
 * The oldest freed block leaves the queue: nobody may have written to it. If its
 * guard is gone (and the handler came back), so is the way to the others.
 */
static void iso_debug_evict(struct iso_heap *h)
{
	struct iso_quarantine *q = &h->quarantine;
	struct iso_guard *g = q->oldest;
	const char *what = iso_guard_inspect(g, iso_chunk_size(iso_chunk_of(g)) - ISO_CHUNK_COST);

	if (what)
		iso_debug_corrupt(h, g + 1, what);
	if (g->cookie != iso_guard_cookie(g, ISO_COOKIE_DEAD)) {
		*q = (struct iso_quarantine){0};
		return;
	}
	q->oldest = g->next;
	if (q->oldest == NULL)
		q->newest = NULL;
	q->bytes -= g->size + ISO_GUARD;
	iso_raw_free(h, g);
}

static void iso_debug_quarantine(struct iso_heap *h, struct iso_guard *g)
{
	struct iso_quarantine *q = &h->quarantine;

	g->next = NULL;
	if (q->newest)
		q->newest->next = g;
	else
		q->oldest = g;
	q->newest = g;
	q->bytes += g->size + ISO_GUARD;
	while (q->bytes > ISO_QUARANTINE_MAX)
		iso_debug_evict(h);
}

void iso_debug_free(struct iso_heap *h, void *ptr)
{
	struct iso_guard *g = iso_debug_live(h, ptr);

	if (g == NULL)
		return;
	g->cookie = iso_guard_cookie(g, ISO_COOKIE_DEAD);
	if (g->size > ISO_POISON_MAX) {
		iso_raw_free(h, g);
		return;
	}
	memset(ptr, ISO_POISON_BYTE, g->size);
	iso_debug_quarantine(h, g);
}

/* When the wilderness cannot hold `room` more bytes, what waits in quarantine is needed. */
static void iso_debug_make_room(struct iso_heap *h, size_t room)
{
	if (room < h->ceiling - h->top)
		return;
	while (h->quarantine.oldest)
		iso_debug_evict(h);
}

void *iso_debug_alloc(struct iso_heap *h, size_t n)
{
	size_t room = iso_guard_room(n);

	iso_debug_make_room(h, room + ISO_PAGE);
	return iso_guard_open(iso_raw_alloc(h, room, NULL), n);
}

void *iso_debug_calloc(struct iso_heap *h, size_t n)
{
	size_t room = iso_guard_room(n);

	iso_debug_make_room(h, room + ISO_PAGE);
	return iso_guard_open(iso_raw_calloc(h, room, ISO_GUARD), n);
}

/* Always moves, so that whoever kept the old address is found out. */
void *iso_debug_realloc(struct iso_heap *h, void *ptr, size_t n)
{
	struct iso_guard *g = iso_debug_live(h, ptr);
	void *to = g ? iso_debug_alloc(h, n) : NULL;

	if (to == NULL)
		return NULL;
	memcpy(to, ptr, g->size < n ? g->size : n);
	iso_debug_free(h, ptr);
	return to;
}

void *iso_debug_memalign(struct iso_heap *h, size_t align, size_t n)
{
	size_t room = iso_guard_room(n);

	iso_debug_make_room(h, room + align + ISO_PAGE);
	return iso_guard_open(iso_raw_memalign(h, align, room, ISO_GUARD), n);
}

size_t iso_debug_usable(struct iso_heap *h, const void *ptr)
{
	struct iso_guard *g = iso_debug_live(h, ptr);

	return g ? g->size : 0;
}
