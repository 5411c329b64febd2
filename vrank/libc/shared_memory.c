/* Memory of shared libraries, see shared_memory.h.
 *
 * A library may keep what it allocates, as stdio does with buffers, or hand it out, as fopen does. Nothing tells which: so before a rank leaves
 * its memory is searched for addresses of blocks that were allocated while it ran. */
#include "vrank/libc/shared_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "vrank/core/job.h"
#include "vrank/core/pin.h"
#include "vrank/libc/bind.h"

static struct {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
	void *(*memalign)(size_t, size_t);
	size_t (*usable)(void *);
} heap;

void vr_shared_setup(const struct vr_shared_heap *h)
{
	heap.malloc = (void *(*)(size_t))h->malloc;
	heap.calloc = (void *(*)(size_t, size_t))h->calloc;
	heap.realloc = (void *(*)(void *, size_t))h->realloc;
	heap.free = (void (*)(void *))h->free;
	heap.memalign = (void *(*)(size_t, size_t))h->memalign;
	heap.usable = (size_t (*)(void *))h->usable;
}

/* ---- blocks: a hash table by address, with linear probing ---- */

struct block {
	uint64_t lo, hi; /* lo 0: none; hi 0: there was one */
	uint64_t caller; /* code of the library */
	int32_t rank;
};

static struct {
	struct block *at;
	size_t size, used; /* used with those that were */
	_Atomic int lock;
} blocks;

static void lock(void)
{
	while (atomic_exchange_explicit(&blocks.lock, 1, memory_order_acquire))
		__builtin_ia32_pause();
}

static void unlock(void)
{
	atomic_store_explicit(&blocks.lock, 0, memory_order_release);
}

static struct block *slot(uint64_t lo)
{
	size_t i = lo / 16 * 0x9e3779b97f4a7c15u >> 20;
	while (blocks.at[i & (blocks.size - 1)].lo && (blocks.at[i & (blocks.size - 1)].lo != lo || !blocks.at[i & (blocks.size - 1)].hi))
		i++;
	return &blocks.at[i & (blocks.size - 1)];
}

/* Room for one more. Blocks that are gone are left out. */
static int grow(void)
{
	struct block *old = blocks.at;
	size_t n = blocks.size, live = 1;
	for (size_t i = 0; i < n; i++)
		live += !!old[i].hi;
	size_t size = 1024;
	while (size < 4 * live)
		size *= 2;
	struct block *at = calloc(size, sizeof *at);
	if (!at)
		return -1;
	blocks.at = at, blocks.size = size, blocks.used = 0;
	for (size_t i = 0; i < n; i++)
		if (old[i].hi)
			*slot(old[i].lo) = old[i], blocks.used++;
	free(old);
	return 0;
}

static void note(void *p, size_t n, void *caller)
{
	struct vr_rank *r = vr_current;
	if (!p || !r || r->statements) /* what comes in a statement of Fortran's belongs to the unit, and the rank stays until it is done */
		return;
	lock();
	if (2 * blocks.used >= blocks.size && grow())
		vr_rank_pin(r, "there is no memory to keep account of what its libraries allocate");
	else {
		blocks.used++;
		*slot((uint64_t)p) = (struct block){(uint64_t)p, (uint64_t)p + (n ? n : 1), (uint64_t)caller, r->id};
	}
	unlock();
}

static void forget(void *p)
{
	if (!blocks.used)
		return;
	lock();
	if (blocks.size)
		slot((uint64_t)p)->hi = 0;
	unlock();
}

/* ---- libraries by their code ---- */

static struct {
	const char *name;
	uint64_t lo, hi;
} libraries[256];
static int nlibraries;
static uint64_t cxx, cxx_size; /* where that of C++ is */

void vr_shared_library(const char *name, uint64_t lo, uint64_t hi)
{
	if (nlibraries == sizeof libraries / sizeof libraries[0])
		return;
	libraries[nlibraries].name = name;
	libraries[nlibraries].lo = lo;
	libraries[nlibraries++].hi = hi;
	if (!strncmp(name, "libstdc++.so", 12))
		cxx = lo, cxx_size = hi - lo;
}

static const char *library_of(uint64_t pc)
{
	for (int i = 0; i < nlibraries; i++)
		if (pc - libraries[i].lo < libraries[i].hi - libraries[i].lo)
			return libraries[i].name;
	return "its libraries";
}

/* ---- what libraries call ---- */

/* What C++'s library allocates for a rank are exceptions, which go along with it. */
void *vr_shared_malloc(size_t n)
{
	void *caller = __builtin_return_address(0);
	void *p = vr_current && (uint64_t)caller - cxx < cxx_size ? vr_bind_malloc(n) : NULL;
	if (p)
		return p;
	p = heap.malloc(n);
	note(p, n, caller);
	return p;
}

void *vr_shared_calloc(size_t n, size_t size)
{
	void *p = heap.calloc(n, size);
	note(p, n * size, __builtin_return_address(0));
	return p;
}

/* Another thread may get what is freed at once, so it is forgotten before. */
void *vr_shared_realloc(void *p, size_t n)
{
	size_t had = p ? heap.usable(p) : 0;
	if (p)
		forget(p);
	void *q = heap.realloc(p, n);
	if (q || !p || n)
		note(q ? q : p, q ? n : had, __builtin_return_address(0));
	return q;
}

void *vr_shared_memalign(size_t align, size_t n)
{
	void *p = heap.memalign(align, n);
	note(p, n, __builtin_return_address(0));
	return p;
}

int vr_shared_posix_memalign(void **out, size_t align, size_t n)
{
	if (align < sizeof(void *) || align & (align - 1))
		return EINVAL;
	void *p = vr_shared_memalign(align, n);
	if (!p)
		return ENOMEM;
	*out = p;
	return 0;
}

void vr_shared_free(void *p)
{
	forget(p);
	heap.free(p);
}

size_t vr_shared_usable(void *p)
{
	return heap.usable(p);
}

/* ---- the search ---- */

struct found {
	struct block *blocks; /* of the rank, by address */
	size_t n;
	const struct block *referred;
};

static int by_address(const void *a, const void *b)
{
	const struct block *x = a, *y = b;
	return (x->lo > y->lo) - (x->lo < y->lo);
}

/* The block that holds an address, or NULL. */
static const struct block *block_of(const struct found *f, uint64_t at)
{
	size_t lo = 0, hi = f->n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (f->blocks[mid].hi <= at)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < f->n && f->blocks[lo].lo <= at ? &f->blocks[lo] : NULL;
}

static void search_words(struct found *f, const uint64_t *words, size_t n)
{
	uint64_t lo = f->blocks[0].lo, span = f->blocks[f->n - 1].hi - lo;
	for (size_t i = 0; i < n && !f->referred; i++)
		if (vr_unlikely(words[i] - lo < span))
			f->referred = block_of(f, words[i]);
}

#define PIECE (256ul << 10)

/* Read through the file: what is not allocated is no memory in it, whatever this process may touch. */
static int search_file(struct found *f, int fd, off_t lo, off_t hi)
{
	uint64_t *piece = malloc(PIECE);
	if (!piece)
		return -1;
	off_t at = lo, end = lo;
	while (at < hi && !f->referred) {
		if (at >= end) {
			at = lseek(fd, at, SEEK_DATA);
			if (at < 0 || at >= hi)
				break;
			end = lseek(fd, at, SEEK_HOLE);
			end = end < 0 || end > hi ? hi : end;
		}
		ssize_t n = pread(fd, piece, (size_t)(end - at) < PIECE ? (size_t)(end - at) : PIECE, at);
		if (n <= 0)
			break;
		search_words(f, piece, n / 8);
		at += n;
	}
	free(piece);
	return 0;
}

/* Copies of the rank's blocks. */
static int collect(const struct vr_rank *r, struct found *f)
{
	for (size_t i = 0; i < blocks.size; i++)
		f->n += blocks.at[i].hi && blocks.at[i].rank == r->id;
	if (!f->n)
		return 0;
	f->blocks = malloc(f->n * sizeof *f->blocks);
	if (!f->blocks)
		return -1;
	f->n = 0;
	for (size_t i = 0; i < blocks.size; i++)
		if (blocks.at[i].hi && blocks.at[i].rank == r->id)
			f->blocks[f->n++] = blocks.at[i];
	qsort(f->blocks, f->n, sizeof *f->blocks, by_address);
	return 0;
}

static void forget_all_of(const struct vr_rank *r)
{
	for (size_t i = 0; i < blocks.size; i++)
		if (blocks.at[i].rank == r->id)
			blocks.at[i].hi = 0;
}

static const char *search(const struct vr_rank *r, int fd, uint64_t base, struct found *f)
{
	if (collect(r, f))
		return "its libraries";
	if (!f->n)
		return NULL;
	const struct vr_layout *l = &vr_job->layout;
	off_t live = (off_t)(((uint64_t)r->context.sp - 128) & -8ul) - (off_t)base, end = (off_t)(r->slice + l->requests - base);
	if (search_file(f, fd, live, end))
		return "its libraries";
	if (f->referred)
		return library_of(f->referred->caller);
	forget_all_of(r);
	return NULL;
}

static const char *referred(const struct vr_rank *r, int fd, uint64_t base)
{
	struct found f = {0};
	if (!blocks.used)
		return NULL;
	lock();
	const char *name = search(r, fd, base, &f);
	unlock();
	free(f.blocks);
	return name;
}

/* ---- leaving ---- */

static FILE **standard_output;

/* It gets its buffer now, so that this is not the memory of the rank that prints first. */
void vr_shared_streams(FILE **out, uint64_t set)
{
	static char buffer[4096]; /* as for a pipe */
	standard_output = out;
	((int (*)(FILE *, char *, int, size_t))set)(*out, buffer, _IOFBF, sizeof buffer);
}

/* Other ranks' lines may be among it: they share the stream. */
static void pass_on(struct vr_rank *r)
{
	struct vr_rank *now = vr_current;
	vr_current = r;
	((int (*)(FILE *))r->entry.fflush)(*standard_output);
	vr_current = now;
}

const char *vr_shared_hold(struct vr_rank *r, int fd, uint64_t base)
{
	static char why[sizeof r->pinned];
	if (r->standard_fd[0] || r->standard_fd[1] || r->standard_fd[2])
		return "it has put a file in place of a standard stream, which is its worker's";
	if (r->statements)
		return "it is in a statement of Fortran that reads or writes";
	const char *name = referred(r, fd, base);
	if (!name) {
		pass_on(r);
		return NULL;
	}
	snprintf(why, sizeof why, "it uses memory that %s has allocated in its worker", name);
	return why;
}
