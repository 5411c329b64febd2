/* The end of the job by a rank, abort.c. */
#ifndef VRANK_ABORT_H
#define VRANK_ABORT_H

/* Rank stack: end the job; does not return. */
void vr_job_abort(int code, const char *fmt, ...) __attribute__((noreturn, format(printf, 2, 3)));

#endif
