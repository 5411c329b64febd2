/* Neighbourhood collectives (MPI 5.0 sections 8.6 to 8.9): one round of messages with the neighbours of the topology.
 *
 * Neighbours may be the same rank: the messages between two members are matched in the order in which both have them. In a
 * grid what goes down arrives from above, so receives are taken with the two directions of a dimension exchanged: then a
 * rank that is both neighbours, in a ring of one or two, has the blocks where the standard wants them. */
#include "ampi/coll/sched.h"
#include "ampi/comm/topo.h"

enum shape {
	SAME, /* one block, which goes to all */
	EQUAL, /* blocks of one size, side by side */
	VARYING, /* each with a count and a displacement */
	TYPED, /* and a datatype; displacements are in bytes */
};

/* What is sent, or received. */
struct side {
	enum shape shape;
	struct ampi_layout l;
	MPI_Datatype type;
};

struct exchange {
	struct ampi_sched_call call;
	const struct ampi_topology *topology;
	struct side send, recv;
};

/* Displacements of alltoallw are addresses in the form with int counts, too. */
static char *block_at(const struct side *s, int i)
{
	switch (s->shape) {
	case SAME:
		return s->l.base;
	case TYPED:
		return s->l.base + ((const MPI_Aint *)s->l.displs)[i];
	case EQUAL:
	case VARYING:
		break;
	}
	return ampi_layout_at(&s->l, i);
}

/* ---- arguments ---- */

/* Without neighbours a buffer and its arrays may be anything. */
static int check_none(struct ampi_caller *c, const struct ampi_names *n, struct side *s)
{
	int error = s->shape >= VARYING ? MPI_SUCCESS : ampi_check_count(c, n->count, s->l.count);
	return error || s->shape == TYPED ? error : ampi_check_type(c, n->type, s->type, &s->l.type);
}

static int check_side(struct ampi_caller *c, const struct ampi_names *n, struct side *s, int neighbours)
{
	if (!neighbours)
		return check_none(c, n, s);
	if (s->shape >= VARYING && !s->l.counts)
		return ampi_raise(c->comm, MPI_ERR_ARG, c->fn, "%ss is a null pointer", n->count);
	if (s->shape == TYPED && !s->l.types)
		return ampi_raise(c->comm, MPI_ERR_ARG, c->fn, "%ss is a null pointer", n->type);
	return ampi_check_blocks(c, n, &s->l, s->type, neighbours);
}

/* Where blocks have displacements, both sides may lie in one buffer without touching each other. */
static int check_alias(struct exchange *e)
{
	const struct ampi_topology *t = e->topology;
	if (e->send.shape >= VARYING || e->recv.shape >= VARYING || !t->nsources || !t->ndestinations)
		return MPI_SUCCESS;
	if (e->send.l.base != e->recv.l.base || !e->send.l.base || !e->send.l.count || !e->recv.l.count)
		return MPI_SUCCESS;
	return ampi_raise(e->call.caller.comm, MPI_ERR_BUFFER, e->call.caller.fn, "sendbuf and recvbuf are the same");
}

static int check(struct exchange *e)
{
	struct ampi_caller *c = &e->call.caller;
	int error;
	e->topology = c->comm->topology;
	if (vr_unlikely(!e->topology))
		return ampi_raise(c->comm, MPI_ERR_TOPOLOGY, c->fn, "comm has no topology, so no neighbours");
	if ((error = ampi_check_intra(c->comm, c->fn)) || (error = check_side(c, &ampi_recv_names, &e->recv, e->topology->nsources)) ||
	    (error = check_side(c, &ampi_send_names, &e->send, e->topology->ndestinations)))
		return error;
	return check_alias(e);
}

/* ---- the round ---- */

static void hold_type(struct ampi_sched *p, const struct exchange *e, const struct vr_type *type)
{
	if (e->call.way != AMPI_BLOCKING)
		ampi_sched_hold_type(p, type);
}

static void receive_block(struct ampi_sched *p, const struct exchange *e, int i)
{
	const struct vr_type *type = ampi_layout_type(&e->recv.l, i);
	if (e->topology->sources[i] == MPI_PROC_NULL)
		return;
	hold_type(p, e, type);
	ampi_sched_recv(p, e->topology->sources[i], block_at(&e->recv, i), ampi_layout_count(&e->recv.l, i), type);
}

static void send_block(struct ampi_sched *p, const struct exchange *e, int i)
{
	const struct vr_type *type = ampi_layout_type(&e->send.l, i);
	if (e->topology->destinations[i] == MPI_PROC_NULL)
		return;
	hold_type(p, e, type);
	ampi_sched_send(p, e->topology->destinations[i], block_at(&e->send, i), ampi_layout_count(&e->send.l, i), type);
}

static int exchange(int fn, enum ampi_way way, struct side send, struct side recv, MPI_Comm comm, MPI_Request *request)
{
	struct exchange e = {.send = send, .recv = recv};
	int error = ampi_sched_call_open(&e.call, way, fn, comm, request);
	if (error || (error = check(&e)))
		return error;
	const struct ampi_topology *t = e.topology;
	struct ampi_sched *p = ampi_sched_new(&e.call);
	int swap = t->kind == MPI_CART;
	for (int i = 0; i < t->nsources; i++)
		receive_block(p, &e, i ^ swap);
	for (int i = 0; i < t->ndestinations; i++)
		send_block(p, &e, i);
	return ampi_sched_launch(p, &e.call);
}

/* ---- the calls: each blocking, non-blocking and persistent, with int and with MPI_Count ---- */

#define BLOCK(SHAPE, BUF, COUNT, TYPE) ((struct side){.shape = SHAPE, .l = {.base = (char *)(BUF), .count = COUNT}, .type = TYPE})
#define BLOCKS(BUF, COUNTS, DISPLS, TYPE, WIDE)                                                                                     \
	((struct side){.shape = VARYING, .l = {.base = (char *)(BUF), .counts = COUNTS, .displs = DISPLS, .wide = WIDE}, .type = TYPE})
#define TYPED_BLOCKS(BUF, COUNTS, DISPLS, TYPES, WIDE)                                                                              \
	((struct side){.shape = TYPED, .l = {.base = (char *)(BUF), .counts = COUNTS, .displs = DISPLS, .types = TYPES, .wide = WIDE}, \
		       .type = MPI_DATATYPE_NULL})

#define EQUAL_ARGS(N, D) const void *sendbuf, N sendcount, MPI_Datatype sendtype, void *recvbuf, N recvcount, MPI_Datatype recvtype, MPI_Comm comm
#define GATHERV_ARGS(N, D)                                                                                                          \
	const void *sendbuf, N sendcount, MPI_Datatype sendtype, void *recvbuf, const N recvcounts[], const D displs[],               \
		MPI_Datatype recvtype, MPI_Comm comm
#define ALLTOALLV_ARGS(N, D)                                                                                                        \
	const void *sendbuf, const N sendcounts[], const D sdispls[], MPI_Datatype sendtype, void *recvbuf, const N recvcounts[],     \
		const D rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define ALLTOALLW_ARGS(N, D)                                                                                                        \
	const void *sendbuf, const N sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,           \
		const N recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm

/* Six calls; SIDES(wide) are what is sent and what is received. */
#define CALLS(NAME, ARGS, SIDES)                                                                                                    \
	int ampi_Neighbor_##NAME(ARGS(int, int))                                                                                      \
	{                                                                                                                             \
		return exchange(AMPI_FN_MPI_Neighbor_##NAME, AMPI_BLOCKING, SIDES(0), comm, NULL);                                     \
	}                                                                                                                             \
	int ampi_Neighbor_##NAME##_c(ARGS(MPI_Count, MPI_Aint))                                                                       \
	{                                                                                                                             \
		return exchange(AMPI_FN_MPI_Neighbor_##NAME##_c, AMPI_BLOCKING, SIDES(1), comm, NULL);                                 \
	}                                                                                                                             \
	int ampi_Ineighbor_##NAME(ARGS(int, int), MPI_Request *request)                                                               \
	{                                                                                                                             \
		return exchange(AMPI_FN_MPI_Ineighbor_##NAME, AMPI_NONBLOCKING, SIDES(0), comm, request);                              \
	}                                                                                                                             \
	int ampi_Ineighbor_##NAME##_c(ARGS(MPI_Count, MPI_Aint), MPI_Request *request)                                                \
	{                                                                                                                             \
		return exchange(AMPI_FN_MPI_Ineighbor_##NAME##_c, AMPI_NONBLOCKING, SIDES(1), comm, request);                          \
	}                                                                                                                             \
	int ampi_Neighbor_##NAME##_init(ARGS(int, int), MPI_Info info, MPI_Request *request)                                          \
	{                                                                                                                             \
		(void)info;                                                                                                           \
		return exchange(AMPI_FN_MPI_Neighbor_##NAME##_init, AMPI_PERSISTENT, SIDES(0), comm, request);                         \
	}                                                                                                                             \
	int ampi_Neighbor_##NAME##_init_c(ARGS(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request *request)                             \
	{                                                                                                                             \
		(void)info;                                                                                                           \
		return exchange(AMPI_FN_MPI_Neighbor_##NAME##_init_c, AMPI_PERSISTENT, SIDES(1), comm, request);                       \
	}

#define GATHER_SIDES(WIDE) BLOCK(SAME, sendbuf, sendcount, sendtype), BLOCK(EQUAL, recvbuf, recvcount, recvtype)
#define GATHERV_SIDES(WIDE) BLOCK(SAME, sendbuf, sendcount, sendtype), BLOCKS(recvbuf, recvcounts, displs, recvtype, WIDE)
#define ALLTOALL_SIDES(WIDE) BLOCK(EQUAL, sendbuf, sendcount, sendtype), BLOCK(EQUAL, recvbuf, recvcount, recvtype)
#define ALLTOALLV_SIDES(WIDE)                                                                                                       \
	BLOCKS(sendbuf, sendcounts, sdispls, sendtype, WIDE), BLOCKS(recvbuf, recvcounts, rdispls, recvtype, WIDE)
#define ALLTOALLW_SIDES(WIDE)                                                                                                       \
	TYPED_BLOCKS(sendbuf, sendcounts, sdispls, sendtypes, WIDE), TYPED_BLOCKS(recvbuf, recvcounts, rdispls, recvtypes, WIDE)

CALLS(allgather, EQUAL_ARGS, GATHER_SIDES)
CALLS(allgatherv, GATHERV_ARGS, GATHERV_SIDES)
CALLS(alltoall, EQUAL_ARGS, ALLTOALL_SIDES)
CALLS(alltoallv, ALLTOALLV_ARGS, ALLTOALLV_SIDES)
CALLS(alltoallw, ALLTOALLW_ARGS, ALLTOALLW_SIDES)
