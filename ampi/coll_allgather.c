/* Allgather (MPI 5.0 section 6.7): from everybody to everybody, the same for all. */
#include "coll.h"

#include <string.h>

/* What an allgather call works with. */
struct allgather {
	struct ampi_meet m;
	const void *send; /* with MPI_IN_PLACE: this member's block of the receive buffer */
	int64_t send_count;
	const struct vr_type *send_type;
	struct ampi_layout recv;
	int in_place;
};

static int check(struct allgather *a, const void *send, int64_t count, MPI_Datatype send_handle, MPI_Datatype recv_handle)
{
	struct ampi_meet *m = &a->m;
	int error;
	a->in_place = send == MPI_IN_PLACE;
	if ((error = ampi_check_layout(&m->caller, &ampi_recv_names, &a->recv, recv_handle)))
		return error;
	if (!a->in_place) {
		a->send = send;
		a->send_count = count;
		if ((error = ampi_check_data(&m->caller, &ampi_send_names, send, count, send_handle, &a->send_type)))
			return error;
		return ampi_check_alias(&m->caller, send, count, a->recv.base, ampi_layout_count(&a->recv, 0));
	}
	a->send = ampi_layout_at(&a->recv, m->rank);
	a->send_count = ampi_layout_count(&a->recv, m->rank);
	a->send_type = a->recv.type;
	return MPI_SUCCESS;
}

/* Each block where the layout has it. */
static void take_slots(struct allgather *a)
{
	struct ampi_slot *slots = ampi_meet_slots(&a->m);
	for (int i = 0; i < a->m.size; i++)
		if (i != a->m.rank || !a->in_place)
			ampi_deliver_at(&a->m, &a->recv, i, &slots[i].block);
}

/* Blocks of one size side by side on the board, which is how most receive buffers want them, too. */
static void take_board(struct allgather *a, const char *board, int64_t bytes)
{
	const struct vr_type *t = a->recv.type;
	struct ampi_meet *m = &a->m;
	if ((t->flags & VR_TYPE_CONTIGUOUS) && a->recv.count * t->size == bytes) {
		memcpy(a->recv.base + t->true_lb, board, m->size * bytes);
		return;
	}
	for (int i = 0; i < m->size; i++) {
		struct ampi_block b = {board + i * bytes, bytes};
		ampi_deliver_at(m, &a->recv, i, &b);
	}
}

static int on_board(struct allgather *a, int64_t bytes)
{
	struct ampi_meet *m = &a->m;
	char *board = ampi_meet_board(m);
	ampi_pack(board + m->rank * bytes, a->send, a->send_count, a->send_type);
	ampi_meet_join(m);
	if (!ampi_meet_failed(m) && bytes)
		take_board(a, board, bytes);
	return ampi_meet_end(m);
}

static int by_slots(struct allgather *a)
{
	ampi_offer(&a->m, a->send, a->send_count, a->send_type);
	ampi_meet_join(&a->m);
	if (!ampi_meet_failed(&a->m))
		take_slots(a);
	return ampi_meet_end(&a->m);
}

static int allgather(int fn, const void *send, int64_t count, MPI_Datatype send_handle, struct ampi_layout recv, MPI_Datatype recv_handle,
		     MPI_Comm comm)
{
	struct allgather a = {.recv = recv};
	int error;
	if ((error = ampi_meet_open(&a.m, fn, comm)) || (error = check(&a, send, count, send_handle, recv_handle)))
		return error;
	int64_t bytes = a.send_count * a.send_type->size;
	ampi_meet_begin(&a.m, AMPI_COLL_ALLGATHER, -1, bytes);
	return bytes * a.m.size <= a.m.team->half ? on_board(&a, bytes) : by_slots(&a);
}

static int allgatherv(int fn, const void *send, int64_t count, MPI_Datatype send_handle, struct ampi_layout recv, MPI_Datatype recv_handle,
		      MPI_Comm comm)
{
	struct allgather a = {.recv = recv};
	int error;
	if ((error = ampi_meet_open(&a.m, fn, comm)) || (error = check(&a, send, count, send_handle, recv_handle)))
		return error;
	ampi_meet_begin(&a.m, AMPI_COLL_ALLGATHERV, -1, 0);
	return by_slots(&a);
}

int ampi_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		   MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .count = recvcount};
	return allgather(AMPI_FN_MPI_Allgather, sendbuf, sendcount, sendtype, recv, recvtype, comm);
}

int ampi_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		     MPI_Datatype recvtype, MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .count = recvcount};
	return allgather(AMPI_FN_MPI_Allgather_c, sendbuf, sendcount, sendtype, recv, recvtype, comm);
}

int ampi_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
		    MPI_Datatype recvtype, MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .counts = recvcounts, .displs = displs};
	return allgatherv(AMPI_FN_MPI_Allgatherv, sendbuf, sendcount, sendtype, recv, recvtype, comm);
}

int ampi_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
		      const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	struct ampi_layout recv = {.base = recvbuf, .counts = recvcounts, .displs = displs, .wide = 1};
	return allgatherv(AMPI_FN_MPI_Allgatherv_c, sendbuf, sendcount, sendtype, recv, recvtype, comm);
}
