/* What the tests of package vrank need of the C core: a job without workers, and forked processes that stand for them. */
#ifndef CORETEST_HARNESS_H
#define CORETEST_HARNESS_H

#include "vrank/core/rank.h"

/* Make a job in shared memory: rank r is on PE r * pes / ranks. 0, or -1 when there is no memory. */
int ct_job_make(int pes, int ranks);
void ct_job_drop(void);

/* Be this PE from now on. The core keeps its PE in a plain variable, so one thread can play several in turn. */
void ct_be(int pe);

/* A rank's record as the deadlock report reads it. */
void ct_rank_wait(int rank, const struct vr_wait *w);

int ct_on_wake_list(int pe, int rank);
int ct_inbox_length(int rank);
void ct_rank_move(int rank, int pe);
void ct_rank_watch(int rank); /* -1: none */

/* Push a message of four bytes from this PE's pool into a rank's inbox. 0, or -1 when the pool is full. */
int ct_push(int rank, int source, int tag);

/* Take the oldest message of a rank out of its queue: its tag, or -1 when there is none. */
int ct_take(int rank, int32_t *source);

/* ---- pools ---- */

int ct_pool_carved(int pe, int class); /* envelopes of a class that a pool has made */
int ct_pool_free(int pe, int class); /* in the PE's free list; -1 when the list is damaged */
int ct_pool_coming(int pe, int class); /* on their way home */
void ct_pool_limit(int pe, int64_t bytes); /* so much is left from now on */

/* ---- processes: storm.c, post_storm.c ---- */

struct ct_storm {
	int each; /* messages from every rank to every rank */
	int64_t most; /* bytes of the longest one */
	uint64_t seed;
};

/* One process for each PE of the job; all send and receive as storm.c says. NULL, or what went wrong. */
const char *ct_storm(const struct ct_storm *s);

/* PEs 1.. post `each` pieces of work to PE 0, which polls. NULL, or what went wrong. */
const char *ct_post_storm(int each);

struct ct_offset {
	const char *object, *field;
	uint64_t offset, size;
};
extern const struct ct_offset ct_offsets[];

#endif
