/* An IFUNC of its own whose resolver calls one of libc's, a large alignment, a nested function on an executable stack, an allocator of its own,
 * constructors and destructors, a weak symbol nobody has, a big zero array. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int stage_yield(void);
int absent(void) __attribute__((weak));
static int order;
int first, second;
static char *path;
_Alignas(8192) char aligned[8192];
char *volatile aligned_at = aligned;
static char huge[64 << 20];
char pool[1 << 20];
static size_t used;
static long mallocs;

void *malloc(size_t n) { void *p = pool + used; mallocs++; used += (n + 31) & ~15ul; return p; }
void free(void *p) { if (p && ((char *)p < pool || (char *)p >= pool + sizeof pool)) _exit(99); }
void *calloc(size_t n, size_t m) { return malloc(n * m); }
void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }

static int one(void) { return 1; }
static int two(void) { return 2; }
static const char *volatile probe = "x";
static int (*choose(void))(void) { return strlen(probe) == 1 ? one : two; }
int chosen(void) __attribute__((ifunc("choose")));
int (*chosen_pointer)(void) = chosen;

static __attribute__((constructor(101))) void early(int argc, char **argv) { first = ++order; if (argc > 2) path = argv[2]; }
static __attribute__((constructor(102))) void late(void) { second = ++order; }
static __attribute__((destructor)) void bye(void) { FILE *f = fopen(path, "a"); fprintf(f, "bye\n"); fclose(f); }

static int apply(int (*f)(int), int n) { return f(n); }

int main(int argc, char **argv)
{
	int rank = atoi(argv[1]);
	int add(int n) { return n + rank; }
	char *copy = strdup("through libc");

	stage_yield();
	huge[32 << 20] = (char)rank;
	if (argc != 3 || first != 1 || second != 2 || absent || (uintptr_t)aligned_at % 8192 || apply(add, 5) != 5 + rank)
		return 10;
	if (chosen() != 1 || chosen_pointer() != 1 || mallocs < 1 || copy < pool || copy >= pool + sizeof pool)
		return 11;
	free(copy);
	FILE *f = fopen(path, "w");
	fprintf(f, "rank %d counter %d %.2f\n", rank, apply(add, 5), 1.5 * rank);
	fclose(f);
	return 40 + rank;
}
