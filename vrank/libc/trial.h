/* The trial of a C library: one copy of it that the loader has made is started and asked to do, one after the other, what ranks rely on. It
 * runs in a process of its own, which may die of it. */
#ifndef VRANK_TRIAL_H
#define VRANK_TRIAL_H

#include <stdint.h>

/* Addresses in the copy; 0 for what it does not have. */
struct vr_trial {
	uint64_t early_init, ctype_init, single_threaded;
	uint64_t *inits;
	uint64_t ninits;
	uint64_t threads, threads_size; /* the image of libpthread.so.0, or 0 */
	uint64_t images, images_size;   /* where all of the copy lies */
	uint64_t jumps, words, file_write, out;
	uint64_t environ_var;
	uint64_t setjmp, errno_location, close, snprintf, strtod, ctype_table, malloc, free, fputs, fflush, time, clock_gettime, getenv, random, cpu;
	uint64_t block_size; /* of a thread's control block; 0 if the library of threads does not tell */
};

/* Runs the trial on this thread, whose reserve holds the copy's thread-local variables. Before each step its name goes to standard output as
 * a line; after the last one the line "ok". A step that fails is followed by "bad", and why. */
void vr_trial_run(const struct vr_trial *t);

#endif
