/* Prefix reductions (MPI 5.0 section 6.11): member i gets v[0] op ... op v[i] (scan), or up to v[i-1] (exscan).
 *
 * Every member puts its vector where leaders may change it; they turn each into the prefix that ends with it, one after the
 * other in the order of ranks. Long vectors are divided between the leaders, if they may be cut. */
#include "ampi/coll/reduce_call.h"

#include <string.h>

struct scan {
	struct ampi_reduction r;
	int on_staging;
};

/* ---- where prefixes are built ---- */

static char *vector_of(struct scan *s, int rank)
{
	if (s->on_staging)
		return s->r.staging + rank * s->r.stride;
	return (char *)ampi_shm_coll_slots(&s->r.m)[rank].block.data;
}

static void put_vector(struct scan *s)
{
	struct ampi_reduction *r = &s->r;
	struct ampi_shm_coll *m = &r->m;
	if (s->on_staging) {
		r->staging = ampi_shm_staging(m);
		memcpy(vector_of(s, m->rank), r->send, r->bytes);
		return;
	}
	char *copy = ampi_reduction_copy(r, 0);
	ampi_shm_coll_slots(m)[m->rank].block = (struct ampi_block){copy, r->bytes};
	ampi_shm_coll_hold(m);
}

/* ---- leading ---- */

static void prefixes(struct scan *s, int64_t from, int64_t count)
{
	int64_t at = from * s->r.op.type->extent;
	if (!count)
		return;
	for (int i = 1; i < s->r.m.size; i++)
		ampi_reducer_apply(&s->r.op, vector_of(s, i - 1) + at, vector_of(s, i) + at, count);
}

static void lead_alone(struct scan *s)
{
	struct ampi_shm_coll *m = &s->r.m;
	if (!ampi_shm_coll_leaders(m))
		return;
	if (!ampi_shm_coll_failed(m))
		prefixes(s, 0, s->r.count);
	ampi_shm_coll_release_leaders(m);
}

static void lead_share(struct scan *s)
{
	struct ampi_shm_coll *m = &s->r.m;
	int64_t n = m->grouping->nparts, i = m->part - m->grouping->part, piece = s->r.count / n;
	if (ampi_shm_coll_leaders(m))
		ampi_shm_coll_release_leaders(m);
	if (!ampi_shm_coll_failed(m))
		prefixes(s, piece * i, i == n - 1 ? s->r.count - piece * i : piece);
	if (ampi_shm_coll_leaders(m))
		ampi_shm_coll_release_leaders(m);
}

static void run(struct scan *s)
{
	struct ampi_shm_coll *m = &s->r.m;
	s->on_staging = ampi_reduction_measure(&s->r);
	put_vector(s);
	if (!ampi_shm_coll_arrive(m))
		return;
	if (s->on_staging || m->grouping->nparts == 1 || !ampi_reducer_cuts(&s->r.op))
		lead_alone(s);
	else
		lead_share(s);
	ampi_shm_coll_release(m);
}

/* ---- the calls ---- */

static int open_scan(struct scan *s, int fn, const struct ampi_reduce_args *a, MPI_Comm comm)
{
	struct ampi_reduction *r = &s->r;
	int error;
	if ((error = ampi_shm_coll_open(&r->m, fn, comm)) || (error = ampi_check_allreduce(&r->m.caller, &r->operands, a)))
		return error;
	return MPI_SUCCESS;
}

/* Take the prefix that ends with `rank`, which nobody has when that is -1. */
static int finish(struct scan *s, int rank)
{
	struct ampi_reduction *r = &s->r;
	if (rank >= 0 && !ampi_shm_coll_failed(&r->m))
		ampi_copy_elements(r->recv, vector_of(s, rank), r->count, r->op.type);
	return ampi_shm_coll_end(&r->m);
}

static int scan(int fn, const struct ampi_reduce_args *a, MPI_Comm comm)
{
	struct scan s;
	int error = open_scan(&s, fn, a, comm);
	if (error)
		return error;
	ampi_reduction_begin(&s.r, AMPI_COLL_SCAN, a->op, -1);
	run(&s);
	return finish(&s, s.r.m.rank);
}

static int exscan(int fn, const struct ampi_reduce_args *a, MPI_Comm comm)
{
	struct scan s;
	int error = open_scan(&s, fn, a, comm);
	if (error)
		return error;
	ampi_reduction_begin(&s.r, AMPI_COLL_EXSCAN, a->op, -1);
	run(&s);
	return finish(&s, s.r.m.rank - 1);
}

int ampi_Scan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return scan(AMPI_FN_MPI_Scan, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, -1), comm);
}

int ampi_Scan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return scan(AMPI_FN_MPI_Scan_c, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, -1), comm);
}

int ampi_Exscan(const void *sendbuf, void *recvbuf, int count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return exscan(AMPI_FN_MPI_Exscan, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, -1), comm);
}

int ampi_Exscan_c(const void *sendbuf, void *recvbuf, MPI_Count count, MPI_Datatype datatype, MPI_Op op, MPI_Comm comm)
{
	return exscan(AMPI_FN_MPI_Exscan_c, &AMPI_REDUCTION(sendbuf, recvbuf, count, datatype, op, -1), comm);
}
