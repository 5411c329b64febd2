/* What only C can ask of a heap: its handlers, and its lock under real threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "isomalloc/heap.h"

#define CHECK(cond) \
	do { \
		if (!(cond)) { \
			fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #cond); \
			exit(1); \
		} \
	} while (0)

static int full_calls, corrupt_calls;
static size_t full_wanted;
static const char *corrupt_what;

static void on_full(struct iso_heap *h, size_t wanted)
{
	(void)h;
	full_calls++;
	full_wanted = wanted;
}

static void on_corruption(struct iso_heap *h, const void *ptr, const char *what)
{
	(void)h, (void)ptr;
	corrupt_calls++;
	corrupt_what = what;
}

static struct iso_heap *make(size_t size, unsigned flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	struct iso_heap *h = p == MAP_FAILED ? NULL : iso_heap_init(p, size, flags);

	CHECK(h != NULL);
	return h;
}

static void sound(struct iso_heap *h)
{
	char why[256];

	if (iso_heap_check(h, why, sizeof why) == 0)
		return;
	fprintf(stderr, "heap damaged: %s\n", why);
	exit(1);
}

/* A heap that runs out says so once, and serves again when memory is freed. */
static void test_full(unsigned flags)
{
	struct iso_heap *h = make(1 << 20, flags);
	void *last = NULL, *p;
	void **chain = NULL;

	full_calls = 0;
	while ((p = iso_heap_alloc(h, 1000)) != NULL) {
		*(void ***)p = chain;
		chain = p;
	}
	CHECK(full_calls == 1 && full_wanted >= 1000);
	CHECK(iso_heap_alloc(h, 100000) == NULL && iso_heap_map(h, 1 << 19) == NULL);
	CHECK(iso_heap_memalign(h, 4096, 5000) == NULL && iso_heap_calloc(h, 10, 1000) == NULL);
	CHECK(iso_heap_realloc(h, chain, 1 << 19) == NULL);
	CHECK(full_calls == 1);
	for (; chain; chain = last) {
		last = *chain;
		iso_heap_free(h, chain);
	}
	sound(h);
	CHECK((p = iso_heap_alloc(h, 700 << 10)) != NULL);
	iso_heap_free(h, p);
	CHECK((p = iso_heap_map(h, 700 << 10)) != NULL);
	CHECK(iso_heap_unmap(h, p, 700 << 10) == 0);
	sound(h);
}

static void test_sizes(unsigned flags)
{
	struct iso_heap *h = make((size_t)1 << 30, flags);
	void *a = iso_heap_alloc(h, 0), *b = iso_heap_alloc(h, 0);

	CHECK(a && b && a != b);
	full_calls = 0;
	CHECK(iso_heap_alloc(h, (size_t)PTRDIFF_MAX + 1) == NULL && iso_heap_alloc(h, SIZE_MAX) == NULL);
	CHECK(iso_heap_calloc(h, SIZE_MAX / 2, 3) == NULL);
	CHECK(iso_heap_memalign(h, 64, SIZE_MAX - 100) == NULL && iso_heap_memalign(h, (size_t)1 << 62, 1) == NULL);
	CHECK(iso_heap_memalign(h, 48, 1) == NULL && iso_heap_memalign(h, 0, 1) == NULL);
	CHECK(iso_heap_realloc(h, a, SIZE_MAX) == NULL);
	CHECK(iso_heap_alloc(h, PTRDIFF_MAX) == NULL && iso_heap_map(h, SIZE_MAX) == NULL && iso_heap_map(h, 0) == NULL);
	CHECK(iso_heap_realloc(h, a, 0) != NULL);
	iso_heap_free(h, NULL);
	CHECK(iso_heap_usable(h, NULL) == 0 && iso_heap_usable(h, b) < 64);
	sound(h);
}

static void expect(const char *part)
{
	if (corrupt_calls == 1 && strstr(corrupt_what, part)) {
		corrupt_calls = 0;
		return;
	}
	fprintf(stderr, "wanted 1 report with \"%s\", have %d, last \"%s\"\n", part, corrupt_calls,
		corrupt_what ? corrupt_what : "");
	exit(1);
}

/* Misuse is reported, does nothing, and leaves the heap sound. */
static void test_misuse(unsigned flags)
{
	struct iso_heap *h = make((size_t)1 << 28, flags);
	char *small = iso_heap_alloc(h, 40), *big = iso_heap_alloc(h, 40000), *keep = iso_heap_alloc(h, 40000);
	int local = 0;

	memset(keep, 0, 40000);
	iso_heap_on_corruption(on_corruption);
	iso_heap_free(h, small);
	iso_heap_free(h, small);
	expect("free already");
	iso_heap_free(h, big);
	iso_heap_free(h, big);
	expect("free already");
	iso_heap_free(h, (void *)((uintptr_t)&local & ~(uintptr_t)15));
	expect("outside the heap");
	iso_heap_free(h, keep + 8);
	expect("not aligned");
	iso_heap_free(h, keep + 1600);
	expect("not the start of a block");
	CHECK(iso_heap_realloc(h, keep + 1600, 10) == NULL);
	expect("not the start of a block");
	CHECK(iso_heap_usable(h, keep + 3) == 0);
	expect("not aligned");
	sound(h);
	iso_heap_free(h, keep);
	CHECK(corrupt_calls == 0);
	sound(h);
}

/* A second free is seen although the block was joined with its neighbours. */
static void test_double_free_joined(void)
{
	struct iso_heap *h = make((size_t)1 << 28, 0);
	void *a = iso_heap_alloc(h, 5000), *b = iso_heap_alloc(h, 5000), *c = iso_heap_alloc(h, 5000);
	void *fence = iso_heap_alloc(h, 5000);

	iso_heap_free(h, a);
	iso_heap_free(h, c);
	iso_heap_free(h, b);
	iso_heap_free(h, b);
	expect("freed twice");
	iso_heap_free(h, c);
	expect("freed twice");
	iso_heap_free(h, fence);
	iso_heap_free(h, fence);
	expect("outside the heap");
	sound(h);
}

static void test_overruns(void)
{
	struct iso_heap *h = make((size_t)1 << 28, ISO_HEAP_CHECK);
	char *a = iso_heap_alloc(h, 21), *b = iso_heap_alloc(h, 21), *c = iso_heap_alloc(h, 21);
	char why[256];

	a[21] = 1;
	CHECK(iso_heap_check(h, why, sizeof why) == -1 && strstr(why, "written past its end"));
	iso_heap_free(h, a);
	expect("written past its end");
	a[21] = (char)0xFD;
	char before = b[-1];
	b[-1] ^= 1;
	iso_heap_free(h, b);
	expect("memory before it was overwritten");
	b[-1] = before;
	iso_heap_free(h, c);
	c[20] = 1;
	CHECK(iso_heap_check(h, why, sizeof why) == -1 && strstr(why, "after it was freed"));
	for (int i = 0; i < 40; i++)
		iso_heap_free(h, iso_heap_alloc(h, 60000));
	expect("after it was freed");
}

/* Without checks: a late write to a free block is seen when the block comes up again. */
static void test_late_write(void)
{
	struct iso_heap *h = make((size_t)1 << 28, 0);
	char *a = iso_heap_alloc(h, 40), *b = iso_heap_alloc(h, 40);

	iso_heap_free(h, b);
	iso_heap_free(h, a);
	memset(a, 0x55, 40);
	CHECK(iso_heap_alloc(h, 40) == a);
	CHECK(iso_heap_alloc(h, 40) != NULL);
	expect("free block was written to");
}

struct worker {
	struct iso_heap *heap;
	unsigned seed;
};

static void *hammer(void *arg)
{
	struct worker *w = arg;
	unsigned char *set[64] = {0};
	size_t len[64] = {0};

	for (int i = 0; i < 40000; i++) {
		int k = rand_r(&w->seed) % 64;
		for (size_t j = 0; set[k] && j < len[k]; j += 97)
			CHECK(set[k][j] == k);
		len[k] = 1 + (size_t)rand_r(&w->seed) % (i % 50 ? 600 : 60000);
		set[k] = i % 3 ? (iso_heap_free(w->heap, set[k]), iso_heap_alloc(w->heap, len[k])) :
				 iso_heap_realloc(w->heap, set[k], len[k]);
		CHECK(set[k] != NULL);
		memset(set[k], k, len[k]);
	}
	for (int k = 0; k < 64; k++)
		iso_heap_free(w->heap, set[k]);
	return NULL;
}

static void test_threads(unsigned flags)
{
	struct iso_heap *h = make((size_t)1 << 30, flags);
	struct worker w[4];
	pthread_t t[4];

	iso_heap_lock_enable(h, 1);
	for (unsigned i = 0; i < 4; i++) {
		w[i] = (struct worker){h, i + 1};
		CHECK(pthread_create(&t[i], NULL, hammer, &w[i]) == 0);
	}
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	iso_heap_lock_enable(h, 0);
	sound(h);
}

/* What happens when nobody set a handler. */
static void misuse(void)
{
	struct iso_heap *h = make((size_t)1 << 28, 0);
	void *p = iso_heap_alloc(h, 40);

	iso_heap_free(h, p);
	iso_heap_free(h, p);
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "abort") == 0)
		misuse();
	iso_heap_on_full(on_full);
	for (unsigned flags = 0; flags <= ISO_HEAP_CHECK; flags++) {
		test_full(flags);
		test_sizes(flags);
		test_misuse(flags);
		test_threads(flags);
		CHECK(corrupt_calls == 0);
	}
	test_double_free_joined();
	test_overruns();
	test_late_write();
	return 0;
}
