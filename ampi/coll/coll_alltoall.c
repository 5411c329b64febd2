/* Alltoall (MPI 5.0 section 6.8): a block of its own from everybody to everybody.
 *
 * Small blocks go through the matrix: a member that arrives puts its blocks into the columns, and later finds its own row in
 * one piece. Others are read where the senders have them. */
#include "ampi/coll/coll_sched.h"
#include "ampi/coll/coll_traffic.h"

#include <string.h>

/* What an alltoall call works with; in place, the receive buffer is what is sent. */
struct alltoall {
	struct ampi_shm_coll m;
	struct ampi_exchange *x;
};

/* ---- through the matrix ---- */

#define MATRIX_BLOCK_MAX 512

/* An odd number of cache lines, so that the places of one column do not all fall on the same cache sets. */
static int64_t row_bytes(int64_t n, int64_t bytes)
{
	return ((n * bytes + 63) & -64) | 64;
}

static int fits_matrix(const struct alltoall *a, int64_t bytes)
{
	return bytes <= MATRIX_BLOCK_MAX && row_bytes(a->m.size, bytes) * a->m.size <= ampi_matrix_half(a->m.team);
}

#define SPREAD(N)                                                                                                                   \
	case N:                                                                                                                       \
		for (int i = 0; i < n; i++)                                                                                           \
			memcpy(to + i * row, from + i * N, N);                                                                        \
		return

/* One block of `bytes` into each of n rows; plain loops for the sizes that programs use most. */
static void spread(char *to, int64_t row, const char *from, int64_t bytes, int n)
{
	switch (bytes) {
		SPREAD(1);
		SPREAD(4);
		SPREAD(8);
		SPREAD(16);
	}
	for (int i = 0; i < n; i++)
		memcpy(to + i * row, from + i * bytes, bytes);
}

static void put_column(struct alltoall *a, char *column, int64_t row, int64_t bytes)
{
	const struct vr_type *t = a->x->send.type;
	int n = a->m.size;
	if (t->flags & VR_TYPE_CONTIGUOUS) {
		spread(column, row, a->x->send.base + t->true_lb, bytes, n);
		return;
	}
	for (int i = 0; i < n; i++)
		ampi_pack(column + i * row, ampi_layout_at(&a->x->send, i), a->x->send.count, t);
}

static void take_row(struct alltoall *a, const char *row, int64_t bytes)
{
	const struct vr_type *t = a->x->recv.type;
	int n = a->m.size;
	if ((t->flags & VR_TYPE_CONTIGUOUS) && a->x->recv.count * t->size == bytes) {
		memcpy(a->x->recv.base + t->true_lb, row, n * bytes);
		return;
	}
	for (int i = 0; i < n; i++) {
		struct ampi_block b = {row + i * bytes, bytes};
		ampi_deliver_at(&a->m, &a->x->recv, i, &b);
	}
}

static int by_matrix(struct alltoall *a, int64_t bytes)
{
	struct ampi_shm_coll *m = &a->m;
	int64_t row = row_bytes(m->size, bytes);
	char *matrix = ampi_shm_coll_matrix(m);
	put_column(a, matrix + m->rank * bytes, row, bytes);
	ampi_shm_coll_join(m);
	if (!ampi_shm_coll_failed(m) && bytes)
		take_row(a, matrix + m->rank * row, bytes);
	return ampi_shm_coll_end(m);
}

/* ---- by address ---- */

/* In place, blocks are copied first: they are overwritten while others still want them. */
static const char *expose_all(struct alltoall *a)
{
	struct ampi_shm_coll *m = &a->m;
	const struct vr_type *t = a->x->send.type;
	int64_t count = a->x->send.count * m->size;
	if (!a->x->in_place)
		return ampi_expose(m, 0, a->x->send.base, count, t);
	ampi_shm_coll_hold(m);
	m->copy[0] = vr_rank_alloc(vr_current, count * t->size);
	if (m->copy[0])
		ampi_pack(m->copy[0], a->x->send.base, count, t);
	else
		ampi_shm_coll_fail(m, MPI_ERR_NO_MEM);
	return m->copy[0];
}

/* Members start at different places, so that not all read from the same one at a time. */
static void take_blocks(struct alltoall *a, int64_t bytes)
{
	struct ampi_shm_coll *m = &a->m;
	struct ampi_slot *slots = ampi_shm_coll_slots(m);
	for (int k = 0, i = m->rank; k < m->size; k++, i = i + 1 == m->size ? 0 : i + 1) {
		struct ampi_block b = {slots[i].block.data + m->rank * bytes, bytes};
		ampi_deliver_at(m, &a->x->recv, i, &b);
	}
}

static int by_address(struct alltoall *a, int64_t bytes)
{
	struct ampi_shm_coll *m = &a->m;
	ampi_shm_coll_slots(m)[m->rank].block = (struct ampi_block){expose_all(a), bytes};
	ampi_shm_coll_join(m);
	if (!ampi_shm_coll_failed(m))
		take_blocks(a, bytes);
	return ampi_shm_coll_end(m);
}

static int alltoall(int fn, struct ampi_exchange *x, MPI_Comm comm)
{
	struct alltoall a;
	struct ampi_shm_coll *m = &a.m;
	int error = ampi_shm_coll_open_either(m, fn, comm);
	a.x = x;
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_alltoall(AMPI_BLOCKING, fn, x, comm, NULL) : error;
	if ((error = ampi_check_alltoall(&m->caller, x)))
		return error;
	int64_t bytes = x->send.count * x->send.type->size;
	ampi_shm_coll_begin(m, AMPI_COLL_ALLTOALL, -1, bytes);
	ampi_traffic(m, AMPI_COLL_ALLTOALL, -1, bytes);
	return fits_matrix(&a, bytes) ? by_matrix(&a, bytes) : by_address(&a, bytes);
}

/* ---- blocks of different sizes: every member shows a table of its blocks ---- */

static void take_tables(struct alltoall *a)
{
	struct ampi_shm_coll *m = &a->m;
	struct ampi_slot *slots = ampi_shm_coll_slots(m);
	for (int k = 0, i = m->rank; k < m->size; k++, i = i + 1 == m->size ? 0 : i + 1) {
		const struct ampi_block *table = (const struct ampi_block *)slots[i].block.data;
		ampi_deliver_at(m, &a->x->recv, i, &table[m->rank]);
	}
}

static struct ampi_block *make_table(struct alltoall *a)
{
	struct ampi_shm_coll *m = &a->m;
	struct ampi_block *table = m->copy[1] = vr_rank_alloc(vr_current, m->size * sizeof *table);
	if (!table)
		ampi_shm_coll_fail(m, MPI_ERR_NO_MEM);
	else
		ampi_expose_layout(m, &a->x->send, table, sizeof *table, a->x->in_place);
	return table;
}

static int alltoallv(int fn, struct ampi_exchange *x, MPI_Comm comm)
{
	struct alltoall a;
	struct ampi_shm_coll *m = &a.m;
	int error = ampi_shm_coll_open_either(m, fn, comm);
	a.x = x;
	if (vr_unlikely(error))
		return error == AMPI_ACROSS ? ampi_begin_alltoall(AMPI_BLOCKING, fn, x, comm, NULL) : error;
	if ((error = ampi_check_alltoall(&m->caller, x)))
		return error;
	ampi_shm_coll_begin(m, AMPI_COLL_ALLTOALLV, -1, 0);
	ampi_traffic_blocks(m, &x->send);
	ampi_shm_coll_hold(m);
	ampi_shm_coll_slots(m)[m->rank].block.data = (const char *)make_table(&a);
	ampi_shm_coll_join(m);
	if (!ampi_shm_coll_failed(m))
		take_tables(&a);
	return ampi_shm_coll_end(m);
}

/* ---- the calls ---- */

int ampi_Alltoall(const void *sendbuf, int sendcount, MPI_Datatype sendtype, void *recvbuf, int recvcount, MPI_Datatype recvtype,
		  MPI_Comm comm)
{
	return alltoall(AMPI_FN_MPI_Alltoall, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, -1), comm);
}

int ampi_Alltoall_c(const void *sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void *recvbuf, MPI_Count recvcount,
		    MPI_Datatype recvtype, MPI_Comm comm)
{
	return alltoall(AMPI_FN_MPI_Alltoall_c, &AMPI_SAME(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, -1), comm);
}

int ampi_Alltoallv(const void *sendbuf, const int sendcounts[], const int sdispls[], MPI_Datatype sendtype, void *recvbuf,
		   const int recvcounts[], const int rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	return alltoallv(AMPI_FN_MPI_Alltoallv, &AMPI_MANY(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype), comm);
}

int ampi_Alltoallv_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], MPI_Datatype sendtype, void *recvbuf,
		     const MPI_Count recvcounts[], const MPI_Aint rdispls[], MPI_Datatype recvtype, MPI_Comm comm)
{
	return alltoallv(AMPI_FN_MPI_Alltoallv_c, &AMPI_MANY(sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype), comm);
}

int ampi_Alltoallw(const void *sendbuf, const int sendcounts[], const int sdispls[], const MPI_Datatype sendtypes[], void *recvbuf,
		   const int recvcounts[], const int rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	return alltoallv(AMPI_FN_MPI_Alltoallw, &AMPI_MIXED(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes), comm);
}

int ampi_Alltoallw_c(const void *sendbuf, const MPI_Count sendcounts[], const MPI_Aint sdispls[], const MPI_Datatype sendtypes[],
		     void *recvbuf, const MPI_Count recvcounts[], const MPI_Aint rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm)
{
	return alltoallv(AMPI_FN_MPI_Alltoallw_c, &AMPI_MIXED(sendbuf, sendcounts, sdispls, sendtypes, recvbuf, recvcounts, rdispls, recvtypes), comm);
}
