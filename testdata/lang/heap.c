/* Does the heap keep what was put into it, under random malloc, calloc, realloc, free and aligned requests? */
#define _GNU_SOURCE
#include "check.h"
#include <malloc.h>
#include <stdint.h>

#define SLOTS 400
#define STEPS 6000

static struct slot {
	unsigned char *p;
	size_t n;
	unsigned char mark;
} slots[SLOTS];

static unsigned seed;

static unsigned next(unsigned n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

static size_t some_size(void)
{
	return next(20) == 0 ? next(300000) : next(4) == 0 ? next(5000) : next(200);
}

static void fill(struct slot *s)
{
	s->mark = (unsigned char)(seed >> 16 ^ (unsigned)rank);
	memset(s->p, s->mark, s->n);
}

static void verify(const struct slot *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s->p[i] != s->mark) {
			CHECK(!"the contents of a block changed");
			return;
		}
}

static void allocate(struct slot *s)
{
	size_t align = (size_t)16 << next(9);

	s->n = some_size();
	switch (next(5)) {
	case 0: s->p = calloc(1, s->n); break;
	case 1:
		s->p = aligned_alloc(align, s->n = (s->n + align - 1) & ~(align - 1));
		CHECK((uintptr_t)s->p % align == 0);
		break;
	case 2:
		CHECK(posix_memalign((void **)&s->p, align, s->n) == 0 && (uintptr_t)s->p % align == 0);
		break;
	default: s->p = malloc(s->n);
	}
	CHECK(s->p != NULL || s->n == 0);
	CHECK((uintptr_t)s->p % 16 == 0 && malloc_usable_size(s->p) >= s->n);
	fill(s);
}

static void resize(struct slot *s)
{
	size_t n = some_size() + 1, kept = n < s->n ? n : s->n;

	s->p = realloc(s->p, n);
	CHECK(s->p != NULL);
	verify(s, kept);
	s->n = n;
	fill(s);
}

static void step(void)
{
	struct slot *s = &slots[next(SLOTS)];

	if (!s->p) {
		allocate(s);
		return;
	}
	verify(s, s->n);
	if (next(3) == 0) {
		resize(s);
		return;
	}
	free(s->p);
	s->p = NULL;
}

static void corners(void)
{
	unsigned char *p = calloc(1000, 1000);

	for (int i = 0; i < 1000000; i += 4093)
		CHECK(p[i] == 0);
	free(p);
	p = malloc(0);
	free(p);
	free(NULL);
	p = realloc(NULL, 10);
	CHECK(p != NULL);
	free(p);
	volatile size_t huge = SIZE_MAX / 2;
	CHECK(malloc(huge) == NULL && calloc(huge, 4) == NULL);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	seed = 12345u + (unsigned)rank;
	for (int i = 0; i < STEPS; i++) {
		step();
		if (i % 1000 == 0)
			check_others_run();
	}
	for (int i = 0; i < SLOTS; i++)
		if (slots[i].p)
			verify(&slots[i], slots[i].n), free(slots[i].p);
	corners();
	return check_end("heap");
}
