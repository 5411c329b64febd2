/* Reductions over a team (MPI 5.0 section 6.9).
 *
 * Who is combined with whom depends on ranks alone, neither on who arrived when nor on where ranks are, so the result has always
 * the same bits. Short vectors are put on the staging on arrival, and the last leader combines all of them; long ones are read
 * where they are, every leader combining a share of all members' vectors. The order is from the highest rank down,
 * in[i] op (in[i+1] op ...), which serves operations that do not commute as well; predefined ones on the staging are combined
 * half with half. */
#include "ampi/coll/reduce_call.h"

#include <string.h>

static void copy_raw(char *to, const char *from, int64_t count, const struct vr_type *t)
{
	struct ampi_span s = ampi_span_of(t, count);
	memcpy(to + s.first, from + s.first, s.bytes);
}

/* Memory for count elements in this rank's slice, freed at the end of the call. */
static char *vector_alloc(struct ampi_reduction *r, int which)
{
	struct ampi_span s = ampi_span_of(r->op.type, r->count);
	char *p = r->m.copy[which] = vr_rank_alloc(vr_current, s.bytes ? s.bytes : 1);
	if (!p)
		ampi_shm_coll_fail(&r->m, MPI_ERR_NO_MEM);
	return p ? p - s.first : NULL;
}

char *ampi_reduction_copy(struct ampi_reduction *r, int which)
{
	char *copy = vector_alloc(r, which);
	if (copy)
		copy_raw(copy, r->send, r->count, r->op.type);
	return copy;
}

/* ---- combining ---- */

#define PIECE_BYTES 8192

/* The vector of rank i, where it is long. */
static const char *vector_of(struct ampi_reduction *r, int i)
{
	return vr_live(ampi_shm_coll_slots(&r->m)[i].block.data);
}

/* dst[from, from + count) = vector 0 op vector 1 op ... op vector n-1. dst may be one of the vectors: a piece of it is written
 * after that piece of all vectors has been read. */
static void combine_piece(struct ampi_reduction *r, int64_t from, int64_t count, char *scratch, char *dst)
{
	const struct vr_type *t = r->op.type;
	int64_t at = from * t->extent;
	copy_raw(scratch, vector_of(r, r->m.size - 1) + at, count, t);
	for (int i = r->m.size - 2; i >= 0; i--)
		ampi_reducer_apply(&r->op, vector_of(r, i) + at, scratch, count);
	copy_raw(dst + at, scratch, count, t);
}

static void combine_in_pieces(struct ampi_reduction *r, int64_t from, int64_t to, char *dst)
{
	alignas(64) char scratch[PIECE_BYTES];
	int64_t piece = PIECE_BYTES / r->op.type->extent;
	for (; from < to; from += piece)
		combine_piece(r, from, to - from < piece ? to - from : piece, scratch, dst);
}

/* Elements that are large: one by one; or vectors that are not cut. */
static void combine_large_elements(struct ampi_reduction *r, int64_t from, int64_t to, char *dst)
{
	int64_t piece = ampi_reducer_cuts(&r->op) ? 1 : to - from;
	struct ampi_span s = ampi_span_of(r->op.type, piece);
	char *scratch = vr_rank_alloc(vr_current, s.bytes);
	if (!scratch) {
		ampi_shm_coll_fail(&r->m, MPI_ERR_NO_MEM);
		return;
	}
	for (; from < to; from += piece)
		combine_piece(r, from, piece, scratch - s.first, dst);
	vr_rank_free(vr_current, scratch);
}

/* Elements [from, to) of the result, in the round's block. */
static void combine(struct ampi_reduction *r, int64_t from, int64_t to)
{
	const struct vr_type *t = r->op.type;
	char *dst = (char *)vr_live(r->m.round->block.data);
	if (from >= to || !t->size)
		return;
	if (ampi_reducer_cuts(&r->op) && t->extent <= PIECE_BYTES)
		combine_in_pieces(r, from, to, dst);
	else
		combine_large_elements(r, from, to, dst);
}

/* ---- short vectors: on the staging ---- */

static char *staging_of(struct ampi_reduction *r, int rank)
{
	return r->staging + rank * r->stride;
}

/* Vectors lie side by side, so one call of a kernel combines as many pairs as there are: the upper half of the members with the
 * lower one, until one is left. Predefined operations commute. */
static const char *fold_halves(struct ampi_reduction *r)
{
	for (int n = r->m.size, low; n > 1; n -= low) {
		low = n / 2;
		ampi_reducer_apply(&r->op, staging_of(r, n - low), staging_of(r, 0), low * r->count);
	}
	return staging_of(r, 0);
}

static const char *fold_in_order(struct ampi_reduction *r)
{
	char *acc = staging_of(r, r->m.size - 1);
	for (int i = r->m.size - 2; i >= 0; i--)
		ampi_reducer_apply(&r->op, staging_of(r, i), acc, r->count);
	return acc;
}

static void reduce_on_staging(struct ampi_reduction *r)
{
	struct ampi_shm_coll *m = &r->m;
	memcpy(staging_of(r, m->rank), r->send, r->bytes);
	if (!ampi_shm_coll_arrive(m))
		return;
	if (ampi_shm_coll_leaders(m)) {
		if (!ampi_shm_coll_failed(m))
			m->round->block.data = r->op.kernel ? fold_halves(r) : fold_in_order(r);
		ampi_shm_coll_release_leaders(m);
	}
	ampi_shm_coll_release(m);
}

/* ---- long vectors: by address ---- */

/* Show this member's vector; a copy when leaders of other PEs may read it and cannot. */
static void show_vector(struct ampi_reduction *r)
{
	struct ampi_shm_coll *m = &r->m;
	struct ampi_span s = ampi_span_of(r->op.type, r->count);
	const char *p = vr_canonical(vr_current, r->send);
	if (!ampi_shm_coll_reaches(m, p + s.first, s.bytes))
		p = ampi_reduction_copy(r, 0);
	ampi_shm_coll_slots(m)[m->rank].block = (struct ampi_block){p, r->bytes};
	ampi_shm_coll_hold(m);
}

/* This rank's receive buffer, if a result can be built in it. */
static char *usable_recv(struct ampi_reduction *r)
{
	const struct vr_type *t = r->op.type;
	struct ampi_span s = ampi_span_of(t, r->count);
	char *p = vr_canonical(vr_current, r->recv);
	return (t->flags & VR_TYPE_CONTIGUOUS) && ampi_shm_coll_reaches(&r->m, p + s.first, s.bytes) ? p : NULL;
}

/* Where the last leader has the result built: a receive buffer that gets all of it anyway, or memory of its own. */
static char *accumulator(struct ampi_reduction *r)
{
	char *p = r->all_receive ? usable_recv(r) : r->m.round->accumulator;
	return p ? p : vector_alloc(r, 1);
}

/* Share i of n. */
static void combine_share(struct ampi_reduction *r, int64_t i, int64_t n)
{
	int64_t piece = r->count / n;
	if (!ampi_shm_coll_failed(&r->m))
		combine(r, piece * i, i == n - 1 ? r->count : piece * (i + 1));
}

/* The leaders share the vector, or the last one has all of it. */
static void lead(struct ampi_reduction *r)
{
	struct ampi_shm_coll *m = &r->m;
	int n = ampi_reducer_cuts(&r->op) ? m->grouping->nparts : 1;
	if (ampi_shm_coll_leaders(m)) {
		m->round->block.data = accumulator(r);
		if (n == 1)
			combine_share(r, 0, 1);
		ampi_shm_coll_release_leaders(m);
	}
	if (n == 1)
		return;
	combine_share(r, m->part - m->grouping->part, n);
	if (ampi_shm_coll_leaders(m))
		ampi_shm_coll_release_leaders(m);
}

static void reduce_by_address(struct ampi_reduction *r)
{
	struct ampi_shm_coll *m = &r->m;
	if (r->root == m->rank)
		m->round->accumulator = usable_recv(r);
	show_vector(r);
	if (!ampi_shm_coll_arrive(m))
		return;
	lead(r);
	ampi_shm_coll_release(m);
}

/* ---- the whole ---- */

int ampi_reduction_measure(struct ampi_reduction *r)
{
	const struct vr_type *t = r->op.type;
	int side_by_side = (t->flags & (VR_TYPE_CONTIGUOUS | VR_TYPE_PREDEFINED)) && t->true_lb == 0;
	r->bytes = side_by_side ? r->count * t->extent : ampi_span_of(t, r->count).bytes;
	r->stride = r->bytes;
	return side_by_side && r->stride * r->m.size <= r->m.team->half;
}

void ampi_reduction_run(struct ampi_reduction *r)
{
	if (ampi_reduction_measure(r)) {
		r->staging = ampi_shm_staging(&r->m);
		reduce_on_staging(r);
	} else {
		reduce_by_address(r);
	}
}

const char *ampi_reduction_result(struct ampi_reduction *r)
{
	return ampi_shm_coll_failed(&r->m) ? NULL : vr_live(r->m.round->block.data);
}

/* Copy elements [from, from + count) of the result to the receive buffer. */
void ampi_reduction_take(struct ampi_reduction *r, int64_t from, int64_t count)
{
	const char *result = ampi_reduction_result(r);
	if (result)
		ampi_copy_elements(r->recv, result + from * r->op.type->extent, count, r->op.type);
}
