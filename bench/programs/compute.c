/* compute BATCHES: three kernels that use no MPI, as CPU time of one run each: what a program must not lose by being a
 * rank. Built with -DNATIVE it is a plain program. */
#ifndef NATIVE
#include <mpi.h>
#endif
#include <string.h>

#include "sample.h"

#define SIDE 1024
#define SWEEPS 8
#define LENGTH (2 << 20)
#define PASSES 4
#define LIVE 4096
#define TURNS 200000

/* ---- stencil: five points in two dimensions, globals of the program ---- */

static double grid[2][SIDE][SIDE];

static void sweep(double (*to)[SIDE], double (*from)[SIDE])
{
	for (int i = 1; i < SIDE - 1; i++)
		for (int j = 1; j < SIDE - 1; j++)
			to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

static void stencil(void)
{
	for (int i = 0; i < SIDE; i++)
		grid[0][i][0] = grid[1][i][0] = 1;
	for (int i = 0; i < SWEEPS; i++)
		sweep(grid[!(i & 1)], grid[i & 1]);
	sample_require(grid[0][SIDE / 2][1] > 0, "nothing flows");
}

/* ---- STREAM triad on the heap ---- */

static double *a, *b, *c;

static void triad(void)
{
	if (!a) {
		a = malloc(LENGTH * sizeof *a);
		b = malloc(LENGTH * sizeof *b);
		c = malloc(LENGTH * sizeof *c);
		for (int i = 0; i < LENGTH; i++)
			a[i] = b[i] = 1, c[i] = 2;
	}
	for (int k = 0; k < PASSES; k++)
		for (int i = 0; i < LENGTH; i++)
			a[i] = b[i] + 3 * c[i];
	sample_require(a[LENGTH - 1] == 7, "the triad is wrong");
}

/* ---- small blocks in random order ---- */

static void churn(void)
{
	static void *live[LIVE];
	unsigned long seed = 1;
	for (int i = 0; i < TURNS; i++) {
		seed = seed * 6364136223846793005ul + 1442695040888963407ul;
		void **slot = &live[seed >> 40 & (LIVE - 1)];
		size_t size = 16 + (seed >> 52 & 1023);
		free(*slot);
		sample_require((*slot = malloc(size)) != NULL, "no memory");
		*(char *)*slot = 1;
	}
}

static void measure(const char *key, void (*kernel)(void))
{
	double start = sample_clock(CLOCK_THREAD_CPUTIME_ID);
	kernel();
	sample_print(key, sample_clock(CLOCK_THREAD_CPUTIME_ID) - start);
}

int main(int argc, char **argv)
{
#ifndef NATIVE
	MPI_Init(&argc, &argv);
#endif
	stencil();
	triad();
	churn();
	for (long i = sample_argument(argc, argv, 1, 10); i > 0; i--) {
		measure("stencil", stencil);
		measure("triad", triad);
		measure("malloc", churn);
	}
#ifndef NATIVE
	MPI_Finalize();
#endif
	return 0;
}
