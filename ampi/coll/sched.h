/* Schedules: collective operations that go on by themselves. Non-blocking and persistent collectives, those on
 * intercommunicators and on neighbourhoods are made of them; blocking ones of intracommunicators use shared memory
 * instead (coll.h).
 *
 * A schedule is the operation as one member sees it: a list of steps in the member's slice. Steps are taken in order. A send or
 * receive is only started; a local step (copy, reduce) and ampi_sched_wait come after all that was started before is
 * complete. So sends and receives between two local steps are one round. Receives are best put before sends: who finds them
 * posted copies once.
 *
 * What drives a schedule is the completion of its inner requests, on whatever stack of its worker that happens, usually that of
 * the sender (vrank/core/progress_hook.h). So sched code knows its rank from p->rank, not from vr_current, and keeps addresses in
 * their canonical form. Only opening, building, launching and freeing are done on the rank's own stack, and waiting for it.
 *
 * How a call is made of it:
 *
 *	struct ampi_sched_call call;
 *	struct ampi_sched *p;
 *	if ((error = ampi_sched_call_open(&call, way, fn, comm, request)) || ...checks of arguments with &call.caller...)
 *		return error;
 *	p = ampi_sched_new(&call);
 *	ampi_sched_recv(p, ...); ampi_sched_send(p, ...);
 *	return ampi_sched_launch(p, &call);
 *
 * Building cannot fail: memory that is missing is noted in the schedule, and ampi_sched_launch raises it. */
#ifndef AMPI_SCHED_H
#define AMPI_SCHED_H

#include "ampi/coll/coll.h"
#include "ampi/coll/reduce.h"
#include "ampi/p2p/request.h"
#include "vrank/core/progress_hook.h"

struct ampi_sched;

enum ampi_step_kind {
	AMPI_STEP_SEND, AMPI_STEP_RECV,
	/* local ones */
	AMPI_STEP_COPY, AMPI_STEP_REDUCE, AMPI_STEP_CALL,
};

struct ampi_step {
	uint8_t kind; /* enum ampi_step_kind */
	uint8_t across; /* the peer is in the other group of an intercommunicator */
	uint8_t after; /* begins when all before is complete */
	int32_t peer; /* rank in its group */
	struct vr_data data; /* to send; else where to: the result of a reduction, which is its right operand before */
	union {
		struct vr_data from; /* of copies and reductions */
		struct {
			void (*call)(struct ampi_sched *p, void *arg);
			void *arg;
		};
	};
};

/* Room in the schedule itself, which is enough for most members of a tree: so many steps, and bytes of memory. */
#define AMPI_SCHED_FEW 8
#define AMPI_SCHED_NEAR 64

struct ampi_sched {
	struct ampi_activity activity; /* of the request that the program waits for, whose `extra` this is */
	struct vr_progress_hook hook;
	struct vr_rank *rank;
	struct ampi_comm *comm; /* counted in its refs */
	struct vr_request *outer; /* that request */
	int fn;
	int32_t tag; /* of all its messages */
	int32_t size; /* of the local group */
	int32_t error; /* class of the first inner request that failed */
	int32_t running; /* steps are being taken */
	int32_t failed; /* there was no memory to build it */
	int32_t exact; /* members agree on the size of every message, and a member with an error tells those that it sends to */
	int32_t waits; /* while it is built: the next step is `after` those before */
	uint32_t pending; /* inner requests that are not complete */
	uint32_t at, n, room; /* the next step, steps, places for steps */
	struct ampi_step *steps;
	struct ampi_sched_block *memory;
	struct vr_type **types; /* derived types that are counted for this schedule */
	uint32_t ntypes, types_room;
	struct ampi_reducer op;
	/* Long schedules are made batch by batch: when all steps are taken, `more` adds those of batch number `batch` to the emptied
	 * list; 0 when there is none. It must be ready to begin with batch 0 again. */
	int (*more)(struct ampi_sched *p);
	int32_t batch;
	void *state; /* of `more`, in memory of the schedule */
	uint32_t near_used;
	/* not zeroed in a new sched */
	alignas(16) char near[AMPI_SCHED_NEAR];
	struct ampi_step few[AMPI_SCHED_FEW];
};

/* ---- calls: sched_call.c. Rank stack ---- */

enum ampi_way {
	AMPI_BLOCKING, /* launch returns when the operation is complete */
	AMPI_NONBLOCKING,
	AMPI_PERSISTENT, /* launch makes a request that MPI_Start starts */
};

/* One call that makes a schedule. */
struct ampi_sched_call {
	struct ampi_caller caller;
	enum ampi_way way;
	MPI_Request *request; /* NULL in blocking calls */
};

/* Check the communicator and fill the call. 0, or the class that was raised. */
int ampi_sched_call_open(struct ampi_sched_call *call, enum ampi_way way, int fn, MPI_Comm comm, MPI_Request *request);

/* An empty sched; NULL without memory, which all that build take. It is counted: the n-th sched of a communicator in one member is part
 * of the operation of the n-th ones of the others. Calls whose arguments are refused have none, so a member may mend its call
 * and try again while the others wait. */
struct ampi_sched *ampi_sched_new(const struct ampi_sched_call *call);

/* The sched is built: start it and wait for it, start it, or make it a persistent request. p may be NULL. 0, or the class that was
 * raised. Switches when blocking. */
int ampi_sched_launch(struct ampi_sched *p, const struct ampi_sched_call *call);

/* ---- building: sched_build.c. The owner of p->rank, any stack ---- */

/* Send count elements to `peer`, a rank of the local group, or receive them from it. Messages between two members are matched in the
 * order in which their schedules have them. */
void ampi_sched_send(struct ampi_sched *p, int peer, const void *buf, int64_t count, const struct vr_type *type);
void ampi_sched_recv(struct ampi_sched *p, int peer, void *buf, int64_t count, const struct vr_type *type);

/* The same with a rank of the remote group. */
void ampi_sched_send_across(struct ampi_sched *p, int peer, const void *buf, int64_t count, const struct vr_type *type);
void ampi_sched_recv_across(struct ampi_sched *p, int peer, void *buf, int64_t count, const struct vr_type *type);

/* All that comes after starts when all before is complete. */
void ampi_sched_wait(struct ampi_sched *p);

/* Copy data between two places; what the second one has no room for is MPI_ERR_TRUNCATE, in exact schedules any difference. */
void ampi_sched_copy(struct ampi_sched *p, void *to, int64_t to_count, const struct vr_type *to_type, const void *from, int64_t from_count,
		    const struct vr_type *from_type);

/* inout[i] = in[i] op inout[i] with p->op, for count elements. */
void ampi_sched_reduce(struct ampi_sched *p, const void *in, void *inout, int64_t count);

/* call(p, arg), on any stack. */
void ampi_sched_do(struct ampi_sched *p, void (*call)(struct ampi_sched *p, void *arg), void *arg);

/* Note an error of the operation from inside such a call; the first one counts. */
static inline void ampi_sched_fail(struct ampi_sched *p, int klass)
{
	if (!p->error)
		p->error = klass;
}

/* Members pass on what they get, so that its size must be the same everywhere. */
static inline void ampi_sched_exact(struct ampi_sched *p)
{
	if (p)
		p->exact = 1;
}

/* Memory that lives until the operation is complete; of a persistent one, until it is freed. NULL: the schedule has failed. */
void *ampi_sched_alloc(struct ampi_sched *p, int64_t bytes);

/* The sched uses this type, which the program may free: count it. */
void ampi_sched_hold_type(struct ampi_sched *p, const struct vr_type *type);

/* The sched reduces with this operation: keep it, and count it. */
void ampi_sched_hold_op(struct ampi_sched *p, const struct ampi_reducer *op);

/* Are all steps made before the call returns, also by ampi_sched_batches? */
static inline int ampi_sched_is_small(const struct ampi_sched *p)
{
	return p->size <= 256;
}

/* Have the steps made by `more`, now if the group is small, else batch by batch. */
void ampi_sched_batches(struct ampi_sched *p, int (*more)(struct ampi_sched *p), void *state);

/* Bytes, as messages of packed data. */
static inline const struct vr_type *ampi_bytes(void)
{
	return vr_type_predefined((uint64_t)MPI_BYTE);
}

#endif
