/* Work of a length that is known beforehand: so many steps of a loop, calibrated once. It is the same work wherever and whenever it is done. */
#ifndef BENCH_WORK_H
#define BENCH_WORK_H

#include "sample.h"

static inline double work(double x, long steps)
{
	for (long i = 0; i < steps; i++)
		x = x * 0.999999 + 1e-6;
	return x;
}

/* Steps in a microsecond of a core that has nothing else to do: of many short samples, the fastest counts. */
static inline double work_speed(void)
{
	double best = 0;
	for (int i = 0; i < 100; i++) {
		double t = sample_clock(CLOCK_MONOTONIC);
		volatile double x = work(0.5, 20000);
		t = 20000 / (sample_clock(CLOCK_MONOTONIC) - t);
		(void)x;
		best = t > best ? t : best;
	}
	return best;
}

#endif
