/* What plan.c, plan_build.c and plan_call.c share. */
#ifndef AMPI_PLAN_ENGINE_H
#define AMPI_PLAN_ENGINE_H

#include "ampi/coll/plan.h"

/* The stepper's functions: any stack of the owner. */
void ampi_plan_completed(struct vr_request *inner);
void ampi_plan_run(struct vr_stepper *s);

/* Give back what ampi_plan_alloc gave. */
void ampi_plan_free_memory(struct ampi_plan *p);

#endif
