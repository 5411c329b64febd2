/* What a worker has spent and taken when all its ranks have met for the first time, as samples for each rank of it. */
#ifndef BENCH_START_H
#define BENCH_START_H

#include <string.h>

#include "sample.h"

/* The sum of the values, in KiB, of lines of a file of /proc that begin with one of the words. */
static double start_kib(const char *path, const char *const *words)
{
	FILE *f = fopen(path, "r");
	char line[256];
	double kib = 0;
	sample_require(f != NULL, "a file of /proc cannot be read");
	while (fgets(line, sizeof line, f))
		for (const char *const *w = words; *w; w++)
			if (!strncmp(line, *w, strlen(*w)))
				kib += strtod(line + strlen(*w), NULL);
	fclose(f);
	return kib;
}

static double start_lines(const char *path)
{
	FILE *f = fopen(path, "r");
	double n = 0;
	sample_require(f != NULL, "a file of /proc cannot be read");
	for (int c; (c = getc(f)) != EOF;)
		n += c == '\n';
	fclose(f);
	return n;
}

/* start: CPU time of the worker from its beginning, loading included. memory: what it has for itself or shares with the job,
 * without page tables, which are tables; in KiB. mappings: entries of its address space. */
static void start_print(double ranks)
{
	static const char *const memory[] = {"RssAnon:", "RssShmem:", NULL}, *const tables[] = {"VmPTE:", NULL};
	double cpu = sample_clock(CLOCK_PROCESS_CPUTIME_ID);
	sample_print("start", cpu / ranks);
	sample_print("memory", start_kib("/proc/self/status", memory) / ranks);
	sample_print("tables", start_kib("/proc/self/status", tables) / ranks);
	sample_print("mappings", start_lines("/proc/self/maps") / ranks);
}

#endif
