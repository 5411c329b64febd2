/* Allgather (MPI 5.0 section 6.7): from everybody to everybody, the same for all. */
#include "ampi/coll/coll_sched.h"
#include "ampi/coll/coll_traffic.h"

#include <string.h>

/* What an allgather call works with. */
struct allgather {
	struct ampi_shm_coll m;
	struct ampi_exchange *x;
};

/* Each block where the layout has it. */
static void take_slots(struct allgather *a)
{
	struct ampi_slot *slots = ampi_shm_coll_slots(&a->m);
	for (int i = 0; i < a->m.size; i++)
		if (i != a->m.rank || !a->x->in_place)
			ampi_deliver_at(&a->m, &a->x->recv, i, &slots[i].block);
}

/* Blocks of one size side by side on the staging, which is how most receive buffers want them, too. */
static void take_staging(struct allgather *a, const char *staging, int64_t bytes)
{
	const struct vr_type *t = a->x->recv.type;
	struct ampi_shm_coll *m = &a->m;
	if ((t->flags & VR_TYPE_CONTIGUOUS) && a->x->recv.count * t->size == bytes) {
		memcpy(a->x->recv.base + t->true_lb, staging, m->size * bytes);
		return;
	}
	for (int i = 0; i < m->size; i++) {
		struct ampi_block b = {staging + i * bytes, bytes};
		ampi_deliver_at(m, &a->x->recv, i, &b);
	}
}

static int on_staging(struct allgather *a, int64_t bytes)
{
	struct ampi_shm_coll *m = &a->m;
	char *staging = ampi_shm_staging(m);
	ampi_pack(staging + m->rank * bytes, a->x->send.base, a->x->send.count, a->x->send.type);
	ampi_shm_coll_join(m);
	if (!ampi_shm_coll_failed(m) && bytes)
		take_staging(a, staging, bytes);
	return ampi_shm_coll_end(m);
}

static int by_slots(struct allgather *a)
{
	ampi_offer(&a->m, a->x->send.base, a->x->send.count, a->x->send.type);
	ampi_shm_coll_join(&a->m);
	if (!ampi_shm_coll_failed(&a->m))
		take_slots(a);
	return ampi_shm_coll_end(&a->m);
}

static int allgather(int fn, struct ampi_exchange *x, MPI_Comm comm)
{
	struct allgather a;
	int error = ampi_shm_coll_open_either(&a.m, fn, comm);
	a.x = x;
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_allgather(AMPI_BLOCKING, fn, x, comm, NULL) : error;
	if ((error = ampi_check_allgather(&a.m.caller, x)))
		return error;
	int64_t bytes = x->send.count * x->send.type->size;
	int is_v = x->recv.counts != NULL;
	ampi_shm_coll_begin(&a.m, is_v ? AMPI_COLL_ALLGATHERV : AMPI_COLL_ALLGATHER, -1, is_v ? 0 : bytes);
	ampi_traffic(&a.m, AMPI_COLL_ALLGATHER, -1, bytes);
	return !is_v && bytes * a.m.size <= a.m.team->half ? on_staging(&a, bytes) : by_slots(&a);
}

int ampi_Allgather(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		   MPI_Comm comm)
{
	return allgather(AMPI_FN_MPI_Allgather, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, -1), comm);
}

int ampi_Allgather_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		     MPI_Datatype recvtype, MPI_Comm comm)
{
	return allgather(AMPI_FN_MPI_Allgather_c, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, -1), comm);
}

int ampi_Allgatherv(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, const int recvcounts[], const int displs[],
		    MPI_Datatype recvtype, MPI_Comm comm)
{
	return allgather(AMPI_FN_MPI_Allgatherv, &AMPI_TO_MANY(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, -1), comm);
}

int ampi_Allgatherv_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, const MPI_Count recvcounts[],
		      const MPI_Aint displs[], MPI_Datatype recvtype, MPI_Comm comm)
{
	return allgather(AMPI_FN_MPI_Allgatherv_c, &AMPI_TO_MANY(sendbuf, sendcount, sendtype, recvbuf, recvcounts, displs, recvtype, -1), comm);
}
