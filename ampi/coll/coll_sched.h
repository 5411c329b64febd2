/* The collective calls that schedules serve: all non-blocking and persistent ones, and blocking ones on intercommunicators. Each checks its
 * arguments, makes the schedule and launches it; see sched.h for `way` and `request`. Rank stack; those with AMPI_BLOCKING switch. */
#ifndef AMPI_COLL_PLAN_H
#define AMPI_COLL_PLAN_H

#include "ampi/coll/sched.h"

/* ---- arguments as an exchange: counts and displacements are wide in the _c forms ---- */

#define AMPI_WIDE(counts) (sizeof *(counts) == sizeof(MPI_Count))
#define AMPI_ONE_BLOCK(buf, n) {.base = (char *)(buf), .count = (n)}
#define AMPI_BLOCKS(buf, n, d) {.base = (char *)(buf), .counts = (n), .displs = (d), .wide = AMPI_WIDE(n)}

/* One buffer. */
#define AMPI_BUFFER(buf, n, t, r)                                                                                                   \
	(struct ampi_exchange){.recv = AMPI_ONE_BLOCK(buf, n), .recv_handle = (t), .root = (r)}

/* Blocks of one size. */
#define AMPI_SAME(sbuf, sn, st, rbuf, rn, rt, r)                                                                                    \
	(struct ampi_exchange){.send = AMPI_ONE_BLOCK(sbuf, sn), .send_handle = (st), .recv = AMPI_ONE_BLOCK(rbuf, rn),               \
			       .recv_handle = (rt), .root = (r)}

/* From one block to blocks of several sizes, the other way round, between such, and with a type for each. */
#define AMPI_TO_MANY(sbuf, sn, st, rbuf, rn, rd, rt, r)                                                                             \
	(struct ampi_exchange){.send = AMPI_ONE_BLOCK(sbuf, sn), .send_handle = (st), .recv = AMPI_BLOCKS(rbuf, rn, rd),              \
			       .recv_handle = (rt), .root = (r), .many = 1}
#define AMPI_FROM_MANY(sbuf, sn, sd, st, rbuf, rn, rt, r)                                                                           \
	(struct ampi_exchange){.send = AMPI_BLOCKS(sbuf, sn, sd), .send_handle = (st), .recv = AMPI_ONE_BLOCK(rbuf, rn),              \
			       .recv_handle = (rt), .root = (r), .many = 1}
#define AMPI_MANY(sbuf, sn, sd, st, rbuf, rn, rd, rt)                                                                               \
	(struct ampi_exchange){.send = AMPI_BLOCKS(sbuf, sn, sd), .send_handle = (st), .recv = AMPI_BLOCKS(rbuf, rn, rd),             \
			       .recv_handle = (rt), .root = -1}
#define AMPI_TYPED_BLOCKS(buf, n, d, t) {.base = (char *)(buf), .counts = (n), .displs = (d), .types = (t), .wide = AMPI_WIDE(n)}
#define AMPI_MIXED(sbuf, sn, sd, st, rbuf, rn, rd, rt)                                                                              \
	(struct ampi_exchange){.send = AMPI_TYPED_BLOCKS(sbuf, sn, sd, st), .recv = AMPI_TYPED_BLOCKS(rbuf, rn, rd, rt), .root = -1}

/* ---- the calls ---- */

int ampi_begin_barrier(enum ampi_way way, int fn, MPI_Comm comm, MPI_Request *request);
int ampi_begin_bcast(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request);
int ampi_begin_gather(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request);
int ampi_begin_scatter(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request);
int ampi_begin_allgather(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request);
int ampi_begin_alltoall(enum ampi_way way, int fn, const struct ampi_exchange *x, MPI_Comm comm, MPI_Request *request);

#endif
