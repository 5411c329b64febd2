/* What the benchmark programs share: clocks, and the lines that the driver reads. */
#ifndef BENCH_SAMPLE_H
#define BENCH_SAMPLE_H

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Microseconds of a clock. CLOCK_THREAD_CPUTIME_ID leaves out what other processes took of the core; it is right where
 * all that is measured happens on one PE. */
static inline double sample_clock(clockid_t clock)
{
	struct timespec t;
	clock_gettime(clock, &t);
	return t.tv_sec * 1e6 + t.tv_nsec / 1e3;
}

/* One measured value, in microseconds unless the driver says otherwise. */
static inline void sample_print(const char *key, double value)
{
	printf("sample %s %.6g\n", key, value);
}

/* Argument i as a number, or what holds without it. */
static inline long sample_argument(int argc, char **argv, int i, long initial)
{
	return i < argc ? strtol(argv[i], NULL, 0) : initial;
}

/* A benchmark that computes something wrong measures nothing. */
static inline void sample_require(int condition, const char *what)
{
	if (condition)
		return;
	fprintf(stderr, "benchmark: %s\n", what);
	exit(1);
}

#endif
