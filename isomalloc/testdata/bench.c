/*
 * The heap beside the C library's malloc, on the same work, single-threaded as a
 * rank is. Prints "name iso_ns libc_ns" per operation. Each run has a process of
 * its own, so none inherits another's heap; the best of several runs counts.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "isomalloc/heap.h"

struct alloc {
	void *(*malloc)(size_t);
	void *(*calloc)(size_t, size_t);
	void *(*realloc)(void *, size_t);
	void (*free)(void *);
};

/* As in a rank: malloc finds the current heap, then calls it. */
static struct iso_heap *current;
static void *iso_malloc(size_t n) { return iso_heap_alloc(current, n); }
static void *iso_calloc(size_t n, size_t s) { return iso_heap_calloc(current, n, s); }
static void *iso_realloc(void *p, size_t n) { return p ? iso_heap_realloc(current, p, n) : iso_heap_alloc(current, n); }
static void iso_free(void *p) { iso_heap_free(current, p); }

static uint64_t rng = 88172645463325252u;
static uint32_t rnd(uint32_t n)
{
	rng ^= rng << 13, rng ^= rng >> 7, rng ^= rng << 17;
	return (uint32_t)((rng >> 32) * n >> 32);
}

static size_t rnd_log(unsigned lo, unsigned hi)
{
	size_t top = (size_t)1 << (lo + rnd(hi - lo));
	return top + rnd((uint32_t)top);
}

static long pair64(const struct alloc *a)
{
	for (long i = 0; i < 4000000; i++) {
		char *p = a->malloc(64);
		*(volatile char *)p = 1;
		a->free(p);
	}
	return 4000000;
}

static long calloc_64(const struct alloc *a)
{
	for (long i = 0; i < 4000000; i++) {
		char *p = a->calloc(8, 8);
		*(volatile char *)p = 1;
		a->free(p);
	}
	return 4000000;
}

static long realloc_small(const struct alloc *a)
{
	for (long i = 0; i < 200000; i++) {
		char *p = NULL;
		for (size_t n = 24; n <= 600; n += 48)
			*(p = a->realloc(p, n)) = 1;
		a->free(p);
	}
	return 200000 * 13;
}

/* Replaces random members of a working set. */
static long churn(const struct alloc *a, uint32_t slots, long n, unsigned lo, unsigned hi, size_t touch)
{
	char **set = calloc(slots, sizeof *set);
	for (long i = 0; i < n; i++) {
		uint32_t k = rnd(slots);
		size_t size = rnd_log(lo, hi);
		a->free(set[k]);
		set[k] = a->malloc(size);
		memset(set[k], 1, size < touch ? size : touch);
	}
	for (uint32_t k = 0; k < slots; k++)
		a->free(set[k]);
	free(set);
	return n;
}

static long mixed_small(const struct alloc *a) { return churn(a, 4096, 2000000, 4, 9, 16); }
static long mixed_wide(const struct alloc *a) { return churn(a, 2048, 1000000, 4, 14, 16); }
static long mixed_1k_1m(const struct alloc *a) { return churn(a, 128, 200000, 10, 20, 64); }
static long mixed_1k_1m_used(const struct alloc *a) { return churn(a, 128, 20000, 10, 20, 1 << 20); }

static long tree(const struct alloc *a)
{
	enum { NODES = 300000, ROUNDS = 4 };
	static void *node[NODES];
	for (int r = 0; r < ROUNDS; r++) {
		for (long i = 0; i < NODES; i++)
			*(long *)(node[i] = a->malloc(24 + rnd(5) * 16)) = i;
		for (long i = NODES; i-- > 1;) {
			long k = rnd((uint32_t)i);
			void *t = node[i];
			node[i] = node[k], node[k] = t;
		}
		for (long i = 0; i < NODES; i++)
			a->free(node[i]);
	}
	return 2L * NODES * ROUNDS;
}

static long strings(const struct alloc *a)
{
	char *p[64];
	for (long i = 0; i < 40000; i++) {
		for (int k = 0; k < 64; k++)
			*(p[k] = a->malloc(16 + (size_t)(k * 37 % 240))) = 1;
		for (int k = 0; k < 64; k++)
			a->free(p[k]);
	}
	return 64 * 40000;
}

static long vector_doubling(const struct alloc *a)
{
	long n = 0;
	for (int r = 0; r < 200; r++) {
		char *v = NULL;
		for (size_t cap = 16; cap <= 1 << 22; cap *= 2, n++) {
			v = a->realloc(v, cap);
			v[cap - 1] = v[cap / 2] = 1;
		}
		a->free(v);
	}
	return n;
}

static long two_buffers_growing(const struct alloc *a)
{
	long n = 0;
	char *x = NULL, *y = NULL;
	for (size_t len = 4096; len <= 16 << 20; len += 4096, n += 2) {
		(x = a->realloc(x, len))[len - 1] = 1;
		(y = a->realloc(y, len))[len - 1] = 1;
	}
	a->free(x);
	a->free(y);
	return n;
}

static long same_arrays(const struct alloc *a, size_t size, int rounds)
{
	for (int r = 0; r < rounds; r++) {
		char *x = a->malloc(size), *y = a->malloc(size);
		for (size_t i = 0; i < size; i += 4096)
			x[i] = y[i] = 1;
		a->free(x);
		a->free(y);
	}
	return rounds;
}

static long arrays_300k(const struct alloc *a) { return same_arrays(a, 300 << 10, 20000); }
static long arrays_8m(const struct alloc *a) { return same_arrays(a, 8 << 20, 300); }
static long arrays_64m(const struct alloc *a) { return same_arrays(a, 64 << 20, 10); }

static long calloc_100k(const struct alloc *a)
{
	void *p[16] = {0};
	for (long i = 0; i < 20000; i++) {
		a->free(p[i % 16]);
		*(volatile char *)(p[i % 16] = a->calloc(100, 1024)) = 1;
	}
	return 20000;
}

static const struct work {
	const char *name;
	long (*run)(const struct alloc *);
} works[] = {
	{"alloc_free_64", pair64},
	{"mixed_16_512", mixed_small},
	{"mixed_16_16k", mixed_wide},
	{"mixed_1k_1m", mixed_1k_1m},
	{"mixed_1k_1m_used", mixed_1k_1m_used},
	{"tree_nodes", tree},
	{"short_strings", strings},
	{"vector_doubling", vector_doubling},
	{"two_buffers_growing", two_buffers_growing},
	{"arrays_300k", arrays_300k},
	{"arrays_8m", arrays_8m},
	{"arrays_64m", arrays_64m},
	{"calloc_64", calloc_64},
	{"calloc_100k", calloc_100k},
	{"realloc_small", realloc_small},
};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static void make_heap(void)
{
	size_t size = (size_t)16 << 30;
	int fd = memfd_create("bench", MFD_CLOEXEC);
	void *p;

	if (fd < 0 || ftruncate(fd, (off_t)size) != 0)
		exit(2);
	p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	if (p == MAP_FAILED || (current = iso_heap_init(p, size, 0)) == NULL)
		exit(2);
}

static double once(const struct work *w, int ours)
{
	static const struct alloc libc = {malloc, calloc, realloc, free};
	static const struct alloc iso = {iso_malloc, iso_calloc, iso_realloc, iso_free};
	double ns = 0, start;
	int ends[2], status;

	if (pipe(ends) != 0)
		exit(2);
	if (fork() == 0) {
		make_heap();
		start = now();
		long n = w->run(ours ? &iso : &libc);
		ns = (now() - start) / (double)n;
		_exit(write(ends[1], &ns, sizeof ns) == sizeof ns ? 0 : 2);
	}
	if (wait(&status) < 0 || status != 0 || read(ends[0], &ns, sizeof ns) != sizeof ns)
		exit(2);
	close(ends[0]);
	close(ends[1]);
	return ns;
}

int main(int argc, char **argv)
{
	int runs = argc > 1 ? atoi(argv[1]) : 3;

	for (size_t i = 0; i < sizeof works / sizeof *works; i++) {
		double iso = 1e18, libc = 1e18, t;
		if (argc > 2 && strcmp(argv[2], works[i].name) != 0)
			continue;
		for (int r = 0; r < runs; r++) {
			iso = (t = once(&works[i], 1)) < iso ? t : iso;
			libc = (t = once(&works[i], 0)) < libc ? t : libc;
		}
		printf("%s %.2f %.2f\n", works[i].name, iso, libc);
	}
	return 0;
}
