/* Barrier, broadcast, gather and scatter (MPI 5.0 sections 6.3 to 6.6). */
#include "coll.h"

#include <string.h>

/* ---- barrier ---- */

int ampi_barrier(int fn, enum ampi_coll kind, MPI_Comm comm)
{
	struct ampi_meet m;
	int error = ampi_meet_open(&m, fn, comm);
	if (vr_unlikely(error))
		return error;
	ampi_meet_begin(&m, kind, -1, 0);
	ampi_meet_join(&m);
	return ampi_meet_end(&m);
}

int ampi_Barrier(MPI_Comm comm)
{
	return ampi_barrier(AMPI_FN_MPI_Barrier, AMPI_COLL_BARRIER, comm);
}

/* ---- broadcast ---- */

static void bcast_offer(struct ampi_meet *m, const void *buf, int64_t count, const struct vr_type *type)
{
	struct ampi_block *b = &m->round->block;
	b->bytes = count * type->size;
	if (b->bytes > m->team->half) {
		b->data = ampi_expose(m, 0, buf, count, type);
		return;
	}
	char *board = ampi_meet_board(m);
	ampi_pack(board, buf, count, type);
	b->data = board;
}

static int bcast(int fn, void *buf, int64_t count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	struct ampi_meet m;
	const struct vr_type *type;
	int error;
	if ((error = ampi_meet_open(&m, fn, comm)) || (error = ampi_check_root(&m.caller, root)) ||
	    (error = ampi_check_data(&m.caller, &ampi_one_names, buf, count, datatype, &type)))
		return error;
	ampi_meet_begin(&m, AMPI_COLL_BCAST, root, 0);
	if (m.rank == root)
		bcast_offer(&m, buf, count, type);
	ampi_meet_join(&m);
	if (m.rank != root && !ampi_meet_failed(&m))
		ampi_deliver(&m, buf, count, type, &m.round->block, -1);
	return ampi_meet_end(&m);
}

int ampi_Bcast(void *buffer, int count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	return bcast(AMPI_FN_MPI_Bcast, buffer, count, datatype, root, comm);
}

int ampi_Bcast_c(void *buffer, MPI_Count count, MPI_Datatype datatype, int root, MPI_Comm comm)
{
	return bcast(AMPI_FN_MPI_Bcast_c, buffer, count, datatype, root, comm);
}

/* ---- gather: every member offers a block in its slot, the root takes all ---- */

static void gather_take(struct ampi_meet *m, const struct ampi_layout *recv, int in_place)
{
	struct ampi_slot *slots = ampi_meet_slots(m);
	for (int i = 0; i < m->size; i++)
		if (i != m->rank || !in_place)
			ampi_deliver_at(m, recv, i, &slots[i].block);
}

static int check_gather(struct ampi_meet *m, const void *send, int64_t count, MPI_Datatype send_handle, const struct vr_type **send_type,
			struct ampi_layout *recv, MPI_Datatype recv_handle, int root)
{
	int error = MPI_SUCCESS, in_place = send == MPI_IN_PLACE;
	if ((error = ampi_check_root(&m->caller, root)))
		return error;
	if (in_place && m->rank != root)
		return ampi_no_in_place(&m->caller, "sendbuf", "only the root may pass");
	if (!in_place && (error = ampi_check_data(&m->caller, &ampi_send_names, send, count, send_handle, send_type)))
		return error;
	if (m->rank != root)
		return MPI_SUCCESS;
	if ((error = ampi_check_layout(&m->caller, &ampi_recv_names, recv, recv_handle)))
		return error;
	return in_place ? MPI_SUCCESS : ampi_check_alias(&m->caller, send, count, recv->base, ampi_layout_count(recv, root));
}

static int gather(int fn, const void *send, int64_t count, MPI_Datatype send_handle, struct ampi_layout *recv, MPI_Datatype recv_handle,
		  int root, MPI_Comm comm)
{
	struct ampi_meet m;
	const struct vr_type *send_type = NULL;
	int error;
	if ((error = ampi_meet_open(&m, fn, comm)) ||
	    (error = check_gather(&m, send, count, send_handle, &send_type, recv, recv_handle, root)))
		return error;
	ampi_meet_begin(&m, AMPI_COLL_GATHER, root, 0);
	if (send != MPI_IN_PLACE)
		ampi_offer(&m, send, count, send_type);
	ampi_meet_join(&m);
	if (m.rank == root && !ampi_meet_failed(&m))
		gather_take(&m, recv, send == MPI_IN_PLACE);
	return ampi_meet_end(&m);
}

int ampi_Gather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .count = recvcount};
	return gather(AMPI_FN_MPI_Gather, sendbuf, sendcount, sendtype, &recv, recvtype, root, comm);
}

int ampi_Gather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .count = recvcount};
	return gather(AMPI_FN_MPI_Gather_c, sendbuf, sendcount, sendtype, &recv, recvtype, root, comm);
}

int ampi_Gatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
		 MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .counts = recvcounts, .displs = displs};
	return gather(AMPI_FN_MPI_Gatherv, sendbuf, sendcount, sendtype, &recv, recvtype, root, comm);
}

int ampi_Gatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
		   const MPI_Aint displs[], MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .counts = recvcounts, .displs = displs, .wide = 1};
	return gather(AMPI_FN_MPI_Gatherv_c, sendbuf, sendcount, sendtype, &recv, recvtype, root, comm);
}

/* ---- scatter: the root fills every member's slot ---- */

static void scatter_offer(struct ampi_meet *m, const struct ampi_layout *send)
{
	struct ampi_slot *slots = ampi_meet_slots(m);
	if (ampi_expose_layout(m, send, &slots[0].block, sizeof *slots, 0))
		return;
	for (int i = 0; i < m->size; i++) {
		struct ampi_slot *s = &slots[i];
		if (s->block.bytes > AMPI_SLOT_INLINE) {
			ampi_meet_hold(m);
		} else if (s->block.bytes) {
			memcpy(s->inline_data, vr_live(s->block.data), s->block.bytes);
			s->block.data = s->inline_data;
		}
	}
}

static int check_scatter(struct ampi_meet *m, struct ampi_layout *send, MPI_Datatype send_handle, void *recv, int64_t count,
			 MPI_Datatype recv_handle, const struct vr_type **recv_type, int root)
{
	int error = MPI_SUCCESS, in_place = recv == MPI_IN_PLACE;
	if ((error = ampi_check_root(&m->caller, root)))
		return error;
	if (in_place && m->rank != root)
		return ampi_no_in_place(&m->caller, "recvbuf", "only the root may pass");
	if (!in_place && (error = ampi_check_data(&m->caller, &ampi_recv_names, recv, count, recv_handle, recv_type)))
		return error;
	if (m->rank != root)
		return MPI_SUCCESS;
	if ((error = ampi_check_layout(&m->caller, &ampi_send_names, send, send_handle)))
		return error;
	return in_place ? MPI_SUCCESS : ampi_check_alias(&m->caller, send->base, ampi_layout_count(send, root), recv, count);
}

static int scatter(int fn, struct ampi_layout *send, MPI_Datatype send_handle, void *recv, int64_t count, MPI_Datatype recv_handle, int root,
		   MPI_Comm comm)
{
	struct ampi_meet m;
	const struct vr_type *recv_type = NULL;
	int error;
	if ((error = ampi_meet_open(&m, fn, comm)) ||
	    (error = check_scatter(&m, send, send_handle, recv, count, recv_handle, &recv_type, root)))
		return error;
	ampi_meet_begin(&m, AMPI_COLL_SCATTER, root, 0);
	if (m.rank == root)
		scatter_offer(&m, send);
	ampi_meet_join(&m);
	if (recv != MPI_IN_PLACE && !ampi_meet_failed(&m))
		ampi_deliver(&m, recv, count, recv_type, &ampi_meet_slots(&m)[m.rank].block, -1);
	return ampi_meet_end(&m);
}

int ampi_Scatter(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype, int root,
		 MPI_Comm comm)
{
	struct ampi_layout send = {.base = (char *)sendbuf, .count = sendcount};
	return scatter(AMPI_FN_MPI_Scatter, &send, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int ampi_Scatter_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		   MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct ampi_layout send = {.base = (char *)sendbuf, .count = sendcount};
	return scatter(AMPI_FN_MPI_Scatter_c, &send, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int ampi_Scatterv(const void *sendbuf, const int sendcounts[], const int displs[], MPI_Datatype sendtype, void *recvbuf, int recvcount,
		  MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct ampi_layout send = {.base = (char *)sendbuf, .counts = sendcounts, .displs = displs};
	return scatter(AMPI_FN_MPI_Scatterv, &send, sendtype, recvbuf, recvcount, recvtype, root, comm);
}

int ampi_Scatterv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint displs[], MPI_Datatype sendtype, void *recvbuf,
		    MPI_Count recvcount, MPI_Datatype recvtype, int root, MPI_Comm comm)
{
	struct ampi_layout send = {.base = (char *)sendbuf, .counts = sendcounts, .displs = displs, .wide = 1};
	return scatter(AMPI_FN_MPI_Scatterv_c, &send, sendtype, recvbuf, recvcount, recvtype, root, comm);
}
