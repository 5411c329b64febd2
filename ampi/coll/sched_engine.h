/* What sched.c, sched_build.c and sched_call.c share. */
#ifndef AMPI_SCHED_ENGINE_H
#define AMPI_SCHED_ENGINE_H

#include "ampi/coll/sched.h"

/* The hook's functions: any stack of the owner. */
void ampi_sched_completed(struct vr_request *inner);
void ampi_sched_run(struct vr_progress_hook *s);

/* Give back what ampi_sched_alloc gave. */
void ampi_sched_free_memory(struct ampi_sched *p);

#endif
