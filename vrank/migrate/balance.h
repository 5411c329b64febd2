/* What balancing needs of the core: looking at all ranks from outside, at any time, and being asked for a step. */
#ifndef VRANK_BALANCE_H
#define VRANK_BALANCE_H

#include "vrank/core/rank.h"

enum vr_sample_flags {
	VR_SAMPLE_PINNED = 1, /* it cannot move */
	VR_SAMPLE_ENDED = 2,
	VR_SAMPLE_SET = 4, /* `load` holds: the program has said so */
	VR_SAMPLE_GOES = 8, /* it goes by itself, after the call that it is in */
};

struct vr_rank_sample {
	uint64_t user_ticks; /* so far, without what the program left out, and with the run that goes on */
	uint64_t moves, sent; /* sent: messages */
	double load; /* seconds */
	uint64_t memory; /* bytes that it has allocated, and its stack in use; without its images */
	int32_t pe; /* that has the rank, or is about to */
	int32_t flags;
};

struct vr_pe_sample {
	uint64_t idle_ticks, move_ticks, move_steps;
	int32_t thread;
};

/* Any thread of any worker, once the job has started: look at all PEs and all ranks. Arrays of vr_job->pes and vr_job->ranks. */
void vr_sample(struct vr_pe_sample *pes, struct vr_rank_sample *ranks);

/* Any thread of any worker: have all workers account time to ranks from now on. */
void vr_measure_all(void);

/* Rank stack: ask for a step of balancing. What to give to vr_step_is_done. */
uint32_t vr_step_ask(void);
int vr_step_is_done(uint32_t step);

/* A thread of worker 0 that is no PE: wait until a step is asked for that is not done, at most so long. Its number, or 0. */
uint32_t vr_step_await(int64_t nanoseconds);
void vr_step_finish(uint32_t step);

/* Rank stack: what AMPI_Load_ calls do. */
void vr_load_set(double seconds);
void vr_load_stop(void);
void vr_load_start(void);
void vr_load_reset(void);

#endif
