/* Barrier, broadcast, gather and scatter (MPI 5.0 sections 6.3 to 6.6). */
#include "ampi/coll/coll_sched.h"
#include "ampi/coll/coll_traffic.h"

#include <string.h>

/* ---- barrier ---- */

int ampi_barrier(int fn, enum ampi_coll kind, MPI_Comm comm)
{
	struct ampi_shm_coll m;
	int error = ampi_shm_coll_open_either(&m, fn, comm);
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_barrier(AMPI_BLOCKING, fn, comm, NULL) : error;
	ampi_shm_coll_begin(&m, kind, -1, 0);
	ampi_traffic(&m, kind, -1, 0);
	ampi_shm_coll_join(&m);
	return ampi_shm_coll_end(&m);
}

int ampi_Barrier(MPI_Comm comm)
{
	return ampi_barrier(AMPI_FN_MPI_Barrier, AMPI_COLL_BARRIER, comm);
}

/* ---- broadcast ---- */

static void bcast_offer(struct ampi_shm_coll *m, const struct ampi_layout *l)
{
	struct ampi_block *b = &m->round->block;
	b->bytes = l->count * l->type->size;
	if (b->bytes > m->team->half) {
		b->data = ampi_expose(m, 0, l->base, l->count, l->type);
		return;
	}
	char *staging = ampi_shm_staging(m);
	ampi_pack(staging, l->base, l->count, l->type);
	b->data = staging;
}

static int bcast(int fn, struct ampi_exchange *x, MPI_Comm comm)
{
	struct ampi_shm_coll m;
	int error = ampi_shm_coll_open_either(&m, fn, comm);
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_bcast(AMPI_BLOCKING, fn, x, comm, NULL) : error;
	if ((error = ampi_check_bcast(&m.caller, x)))
		return error;
	ampi_shm_coll_begin(&m, AMPI_COLL_BCAST, x->root, 0);
	ampi_traffic(&m, AMPI_COLL_BCAST, x->root, x->recv.count * x->recv.type->size);
	if (m.rank == x->root)
		bcast_offer(&m, &x->recv);
	ampi_shm_coll_join(&m);
	if (m.rank != x->root && !ampi_shm_coll_failed(&m))
		ampi_deliver_all(&m, x->recv.base, x->recv.count, x->recv.type, &m.round->block, -1);
	return ampi_shm_coll_end(&m);
}

int ampi_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	return bcast(AMPI_FN_MPI_Bcast, &AMPI_BUFFER(buffer, count, datatype, root), comm);
}

int ampi_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	return bcast(AMPI_FN_MPI_Bcast_c, &AMPI_BUFFER(buffer, count, datatype, root), comm);
}

/* ---- gather: every member offers a block in its slot, the root takes all ---- */

static void gather_take(struct ampi_shm_coll *m, const struct ampi_layout *recv, int in_place)
{
	struct ampi_slot *slots = ampi_shm_coll_slots(m);
	for (int i = 0; i < m->size; i++)
		if (i != m->rank || !in_place)
			ampi_deliver_at(m, recv, i, &slots[i].block);
}

static int gather(int fn, struct ampi_exchange *x, MPI_Comm comm)
{
	struct ampi_shm_coll m;
	int error = ampi_shm_coll_open_either(&m, fn, comm);
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_gather(AMPI_BLOCKING, fn, x, comm, NULL) : error;
	if ((error = ampi_check_gather(&m.caller, x)))
		return error;
	ampi_shm_coll_begin(&m, AMPI_COLL_GATHER, x->root, 0);
	if (m.rank != x->root)
		ampi_traffic(&m, AMPI_COLL_GATHER, x->root, x->send.count * x->send.type->size);
	if (!x->in_place)
		ampi_offer(&m, x->send.base, x->send.count, x->send.type);
	ampi_shm_coll_join(&m);
	if (m.rank == x->root && !ampi_shm_coll_failed(&m))
		gather_take(&m, &x->recv, x->in_place);
	return ampi_shm_coll_end(&m);
}

int ampi_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		MPI_Comm comm)
{
	return gather(AMPI_FN_MPI_Gather, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root), comm);
}

int ampi_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return gather(AMPI_FN_MPI_Gather_c, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root), comm);
}

int ampi_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
		 MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return gather(AMPI_FN_MPI_Gatherv, &AMPI_TO_MANY(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root), comm);
}

int ampi_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
		   const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return gather(AMPI_FN_MPI_Gatherv_c, &AMPI_TO_MANY(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, root), comm);
}

/* ---- scatter: the root fills every member's slot ---- */

static void scatter_offer(struct ampi_shm_coll *m, const struct ampi_layout *send)
{
	struct ampi_slot *slots = ampi_shm_coll_slots(m);
	if (ampi_expose_layout(m, send, &slots[0].block, sizeof *slots, 0))
		return;
	for (int i = 0; i < m->size; i++) {
		struct ampi_slot *s = &slots[i];
		if (s->block.bytes > AMPI_SLOT_INLINE) {
			ampi_shm_coll_hold(m);
		} else if (s->block.bytes) {
			memcpy(s->inline_data, vr_live(s->block.data), s->block.bytes);
			s->block.data = s->inline_data;
		}
	}
}

static int scatter(int fn, struct ampi_exchange *x, MPI_Comm comm)
{
	struct ampi_shm_coll m;
	int error = ampi_shm_coll_open_either(&m, fn, comm);
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_scatter(AMPI_BLOCKING, fn, x, comm, NULL) : error;
	if ((error = ampi_check_scatter(&m.caller, x)))
		return error;
	ampi_shm_coll_begin(&m, AMPI_COLL_SCATTER, x->root, 0);
	if (m.rank == x->root) {
		ampi_traffic_blocks(&m, &x->send);
		scatter_offer(&m, &x->send);
	}
	ampi_shm_coll_join(&m);
	if (!x->in_place && !ampi_shm_coll_failed(&m))
		ampi_deliver(&m, x->recv.base, x->recv.count, x->recv.type, &ampi_shm_coll_slots(&m)[m.rank].block, -1);
	return ampi_shm_coll_end(&m);
}

int ampi_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		 MPI_Comm comm)
{
	return scatter(AMPI_FN_MPI_Scatter, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root), comm);
}

int ampi_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		   MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return scatter(AMPI_FN_MPI_Scatter_c, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, root), comm);
}

int ampi_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
		  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return scatter(AMPI_FN_MPI_Scatterv, &AMPI_FROM_MANY(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root), comm);
}

int ampi_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
		    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	return scatter(AMPI_FN_MPI_Scatterv_c, &AMPI_FROM_MANY(sendbuf, sendcounts, displs, sendtype, recvbuf, recvcount, recvtype, root), comm);
}
