/* Forked processes that stand for workers: they share the job's memory and have their own vr_pe, as workers do. */
#ifndef CORETEST_PROCESS_H
#define CORETEST_PROCESS_H

#include "vrank/internal/coretest/harness.h"

/* Run fn(pe, arg) in a process for each PE. A process whose fn returns a text, that dies or takes longer than a minute has
 * failed, and the others are ended. NULL, or the first failure's text. */
const char *ct_processes(const char *(*fn)(int pe, void *arg), void *arg);

/* A text made in the calling process, for fn to return. */
const char *ct_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static inline uint64_t ct_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
	x = (x ^ x >> 27) * 0x94d049bb133111ebu;
	return x ^ x >> 31;
}

#endif
