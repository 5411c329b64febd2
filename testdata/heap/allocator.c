/* Random requests of all kinds to whatever allocator the program has been given, with checks of every block's contents; at the
 * end, where blocks lie: in the rank's slice, like its variables, or elsewhere. */
#define _GNU_SOURCE
#include <malloc.h>
#include <mpi.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCKS 300
#define STEPS 5000

struct load {
	unsigned seed;
	unsigned char *at[BLOCKS];
	size_t size[BLOCKS];
	long bad;
};

static unsigned next(struct load *l)
{
	return (l->seed = l->seed * 1664525 + 1013904223) >> 8;
}

static unsigned char pattern(const struct load *l, int i, size_t j)
{
	return (unsigned char)((uintptr_t)l->at[i] / 16 + j * 7 + (uintptr_t)l);
}

static void fill(struct load *l, int i)
{
	for (size_t j = 0; j < l->size[i]; j += 13)
		l->at[i][j] = pattern(l, i, j);
}

static void check(struct load *l, int i)
{
	for (size_t j = 0; j < l->size[i]; j += 13)
		l->bad += l->at[i][j] != pattern(l, i, j);
}

static void all_zero(struct load *l, int i)
{
	for (size_t j = 0; j < l->size[i]; j++)
		l->bad += l->at[i][j] != 0;
}

/* What realloc keeps, byte for byte. */
static void regrow(struct load *l, int i, size_t n)
{
	size_t kept = l->size[i] < n ? l->size[i] : n, step = kept / 16 + 1;
	unsigned char was[17];
	int k = 0;
	for (size_t j = 0; j < kept; j += step)
		was[k++] = l->at[i][j];
	l->at[i] = realloc(l->at[i], n);
	k = 0;
	for (size_t j = 0; j < kept; j += step)
		l->bad += l->at[i][j] != was[k++];
}

static void aligned(struct load *l, int i, size_t n)
{
	void *p;
	size_t align = (size_t)64 << next(l) % 2; /* the mimalloc of Debian 12 misses larger ones, under any MPI */
	l->bad += posix_memalign(&p, align, (n + align - 1) & -align) != 0;
	l->bad += (uintptr_t)p % align != 0;
	l->at[i] = p;
}

static void step(struct load *l)
{
	int i = (int)(next(l) % BLOCKS);
	size_t n = next(l) % (next(l) % 40 == 0 ? 200000 : next(l) % 8 == 0 ? 20000 : 500) + 1;
	check(l, i);
	unsigned what = next(l) % 4;
	if (what == 0) {
		regrow(l, i, n);
		l->size[i] = n;
	} else {
		free(l->at[i]);
		l->size[i] = n;
		if (what == 1)
			l->at[i] = malloc(n);
		else if (what == 2)
			l->at[i] = calloc(n, 1), all_zero(l, i);
		else
			aligned(l, i, n);
	}
	l->bad += malloc_usable_size(l->at[i]) < n;
	fill(l, i);
}

static void *work(void *arg)
{
	for (int i = 0; i < STEPS; i++)
		step(arg);
	return NULL;
}

/* Memory that the C library gives for programs to free, and the other way round. */
static void mixed(struct load *l)
{
	char *text = NULL, *line = NULL;
	size_t room = 0;
	l->bad += asprintf(&text, "%d\n", 4711) != 5;
	FILE *f = fmemopen(text, 5, "r");
	l->bad += getline(&line, &room, f) != 5;
	fclose(f);
	line = reallocarray(line, 1000, 10);
	free(line);
	free(text);
	free(strdup("abc"));
	free(realpath("/", NULL));
	free(getcwd(NULL, 0));
	free(reallocarray(NULL, 10, 10));
}

static int near(const void *p, const void *q)
{
	return llabs((long long)(uintptr_t)p - (long long)(uintptr_t)q) < 16ll << 30;
}

static struct load loads[3];

int main(int argc, char **argv)
{
	int rank, level;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &level);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	pthread_t threads[2];
	int nthreads = argc > 1 ? 2 : 0;
	for (int i = 0; i < 3; i++)
		loads[i].seed = (unsigned)(rank * 3 + i);
	for (int i = 0; i < nthreads; i++)
		pthread_create(&threads[i], NULL, work, &loads[1 + i]);
	for (int i = 0; i < 10; i++) {
		for (int j = 0; j < STEPS / 10; j++)
			step(&loads[0]);
		MPI_Barrier(MPI_COMM_WORLD);
	}
	for (int i = 0; i < nthreads; i++)
		pthread_join(threads[i], NULL);
	mixed(&loads[0]);
	long bad = loads[0].bad + loads[1].bad + loads[2].bad;
	int slice = near(malloc(100), &loads) && near(malloc(10 << 20), &loads);
	printf("rank %d: %ld bad, %s\n", rank, bad, slice ? "in the slice" : "elsewhere");
	MPI_Finalize();
	return bad != 0;
}
