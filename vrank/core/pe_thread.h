/* The PE thread, see pe_thread.c. */
#ifndef VRANK_PE_THREAD_H
#define VRANK_PE_THREAD_H

#include <stdint.h>

/* Run the PE loop on a new thread with this stack and wait for its end. Any thread; NULL, or what failed. */
const char *vr_pe_thread_run(void *stack, uint64_t size);

/* Any thread: start one of the runtime's own beside the PE's, which gets no signals and is waited for by nobody. 0, or -1. */
int vr_service_thread_start(void *(*fn)(void *));

/* PE thread, in this order: become PE id; wait until the job is ready; join it. NULL, or a reason to refuse. */
const char *vr_pe_start(void *control, int id);
int vr_job_is_ready(const void *control);
const char *vr_pe_join(void);

/* PE thread: this PE's ranks exist; and whether those of all PEs do. Before that nobody may look at another's ranks. */
void vr_job_start(void);
int vr_job_is_started(void);

/* Any thread of any worker: all PEs of the job leave their loops as soon as the rank they run lets them. */
void vr_stop(void);

#endif
