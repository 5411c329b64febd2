/* The reductions that schedules serve: see coll_sched.h. */
#ifndef AMPI_REDUCE_PLAN_H
#define AMPI_REDUCE_PLAN_H

#include "ampi/coll/reduce_call.h"
#include "ampi/coll/sched.h"

int ampi_begin_reduce(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request);
int ampi_begin_allreduce(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request);
int ampi_begin_reduce_scatter(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request);
int ampi_begin_scan(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request);
int ampi_begin_exscan(enum ampi_way way, int fn, const struct ampi_reduce_args *a, MPI_Comm comm, MPI_Request *request);

#endif
