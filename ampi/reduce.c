/* Reductions over a team (MPI 5.0 section 6.9).
 *
 * Contributions are always combined from the highest rank down, in[i] op (in[i+1] op ...), so the result does not depend on
 * who arrived when, and operations that do not commute are served as well. Leaders combine their PE's members first where
 * that keeps the order. Short vectors are put on the board on arrival; long ones are read where they are, every leader
 * combining those of its PE, and then a share of the vector over all PEs. */
#include "reduce_call.h"

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
		ampi_meet_fail(&r->m, MPI_ERR_NO_MEM);
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

/* Where vector i is. */
typedef const char *vector_fn(struct ampi_reduction *r, int i);

/* dst[from, to) = vector 0 op vector 1 op ... op vector n-1. dst may be one of the vectors: a piece of it is written
 * after that piece of all vectors has been read. */
static void combine_piece(struct ampi_reduction *r, vector_fn *vector, int n, int64_t from, int64_t count, char *scratch, char *dst)
{
	const struct vr_type *t = r->op.type;
	int64_t at = from * t->extent;
	copy_raw(scratch, (const char *)vr_live(vector(r, n - 1)) + at, count, t);
	for (int i = n - 2; i >= 0; i--)
		ampi_reducer_apply(&r->op, (const char *)vr_live(vector(r, i)) + at, scratch, count);
	copy_raw((char *)vr_live(dst) + at, scratch, count, t);
}

static void combine_in_pieces(struct ampi_reduction *r, vector_fn *vector, int n, int64_t from, int64_t to, char *dst)
{
	alignas(64) char scratch[PIECE_BYTES];
	int64_t piece = PIECE_BYTES / r->op.type->extent;
	for (; from < to; from += piece)
		combine_piece(r, vector, n, from, to - from < piece ? to - from : piece, scratch, dst);
}

/* Elements that are large: one by one; or vectors that are not cut. */
static void combine_large_elements(struct ampi_reduction *r, vector_fn *vector, int n, int64_t from, int64_t to, char *dst)
{
	int64_t piece = ampi_reducer_cuts(&r->op) ? 1 : to - from;
	struct ampi_span s = ampi_span_of(r->op.type, piece);
	char *scratch = vr_rank_alloc(vr_current, s.bytes);
	if (!scratch) {
		ampi_meet_fail(&r->m, MPI_ERR_NO_MEM);
		return;
	}
	for (; from < to; from += piece)
		combine_piece(r, vector, n, from, piece, scratch - s.first, dst);
	vr_rank_free(vr_current, scratch);
}

static void combine(struct ampi_reduction *r, vector_fn *vector, int n, int64_t from, int64_t to, char *dst)
{
	const struct vr_type *t = r->op.type;
	if (from >= to || !t->size)
		return;
	if (ampi_reducer_cuts(&r->op) && t->extent <= PIECE_BYTES)
		combine_in_pieces(r, vector, n, from, to, dst);
	else
		combine_large_elements(r, vector, n, from, to, dst);
}

/* ---- short vectors: on the board ---- */

static char *board_of(struct ampi_reduction *r, int rank)
{
	return r->board + rank * r->stride;
}

/* The vectors of this PE's members, into that of the highest one. */
static const char *fold_part(struct ampi_reduction *r)
{
	const struct ampi_part *p = r->m.part;
	char *acc = board_of(r, p->members[p->n - 1]);
	for (int i = p->n - 2; i >= 0; i--)
		ampi_reducer_apply(&r->op, board_of(r, p->members[i]), acc, r->count);
	return acc;
}

static const char *fold_parts(struct ampi_reduction *r)
{
	const struct ampi_grouping *g = r->m.grouping;
	char *acc = (char *)g->part[g->nparts - 1].partial;
	for (int i = g->nparts - 2; i >= 0; i--)
		ampi_reducer_apply(&r->op, g->part[i].partial, acc, r->count);
	return acc;
}

static const char *fold_all(struct ampi_reduction *r)
{
	char *acc = board_of(r, r->m.size - 1);
	for (int i = r->m.size - 2; i >= 0; i--)
		ampi_reducer_apply(&r->op, board_of(r, i), acc, r->count);
	return acc;
}

/* Combining the members of a PE first is right when they are neighbours, or order does not matter. */
static int by_parts(const struct ampi_reduction *r)
{
	return r->op.commutes || r->m.grouping->ordered;
}

static void reduce_on_board(struct ampi_reduction *r)
{
	struct ampi_meet *m = &r->m;
	memcpy(board_of(r, m->rank), r->send, r->bytes);
	if (!ampi_meet_arrive(m))
		return;
	if (by_parts(r) && !ampi_meet_failed(m))
		m->part->partial = fold_part(r);
	if (ampi_meet_leaders(m)) {
		if (!ampi_meet_failed(m))
			m->round->block.data = by_parts(r) ? fold_parts(r) : fold_all(r);
		ampi_meet_release_leaders(m);
	}
	ampi_meet_release(m);
}

/* ---- long vectors: by address ---- */

static const char *vector_of_rank(struct ampi_reduction *r, int i)
{
	return ampi_meet_slots(&r->m)[i].block.data;
}

static const char *vector_of_member(struct ampi_reduction *r, int i)
{
	return vector_of_rank(r, r->m.part->members[i]);
}

static const char *vector_of_part(struct ampi_reduction *r, int i)
{
	return r->m.grouping->part[i].partial;
}

/* Show this member's vector; a copy when leaders of other PEs may read it and cannot. */
static void show_vector(struct ampi_reduction *r)
{
	struct ampi_meet *m = &r->m;
	struct ampi_span s = ampi_span_of(r->op.type, r->count);
	const char *p = vr_canonical(vr_current, r->send);
	if (!ampi_meet_reaches(m, p + s.first, s.bytes))
		p = ampi_reduction_copy(r, 0);
	ampi_meet_slots(m)[m->rank].block = (struct ampi_block){p, r->bytes};
	ampi_meet_hold(m);
}

/* This rank's receive buffer, if a result can be built in it. */
static char *usable_recv(struct ampi_reduction *r)
{
	const struct vr_type *t = r->op.type;
	struct ampi_span s = ampi_span_of(t, r->count);
	char *p = vr_canonical(vr_current, r->recv);
	return (t->flags & VR_TYPE_CONTIGUOUS) && ampi_meet_reaches(&r->m, p + s.first, s.bytes) ? p : NULL;
}

/* Where the leader builds the result of its PE: a receive buffer that gets the whole result anyway, or memory of its own. */
static char *accumulator(struct ampi_reduction *r)
{
	char *p = NULL;
	if (r->all_receive)
		p = usable_recv(r);
	else if (r->m.part == &r->m.grouping->part[r->home])
		p = r->m.round->accumulator;
	return p ? p : vector_alloc(r, 1);
}

static void combine_part(struct ampi_reduction *r)
{
	char *acc = accumulator(r);
	r->m.part->partial = acc;
	if (acc && !ampi_meet_failed(&r->m))
		combine(r, vector_of_member, r->m.part->n, 0, r->count, acc);
}

/* This leader's share of the vector, over all PEs, into the home part's memory. */
static void combine_share(struct ampi_reduction *r)
{
	const struct ampi_grouping *g = r->m.grouping;
	int64_t i = r->m.part - g->part, n = g->nparts;
	if (ampi_meet_failed(&r->m))
		return;
	if (ampi_reducer_cuts(&r->op))
		combine(r, vector_of_part, n, r->count / n * i, i == n - 1 ? r->count : r->count / n * (i + 1), (char *)g->part[r->home].partial);
	else if (!i)
		combine(r, vector_of_part, n, 0, r->count, (char *)g->part[r->home].partial);
}

static void lead_by_parts(struct ampi_reduction *r)
{
	struct ampi_meet *m = &r->m;
	combine_part(r);
	if (ampi_meet_leaders(m))
		ampi_meet_release_leaders(m);
	if (m->grouping->nparts > 1) {
		combine_share(r);
		if (ampi_meet_leaders(m))
			ampi_meet_release_leaders(m);
	}
	/* All leaders write the same. */
	__atomic_store_n(&m->round->block.data, m->grouping->part[r->home].partial, __ATOMIC_RELAXED);
}

/* One after the other in the order of ranks: only the last leader can. */
static void lead_in_order(struct ampi_reduction *r)
{
	struct ampi_meet *m = &r->m;
	if (!ampi_meet_leaders(m))
		return;
	char *acc = vector_alloc(r, 1);
	if (acc && !ampi_meet_failed(m))
		combine(r, vector_of_rank, m->size, 0, r->count, acc);
	m->round->block.data = acc;
	ampi_meet_release_leaders(m);
}

static void reduce_by_address(struct ampi_reduction *r)
{
	struct ampi_meet *m = &r->m;
	if (r->root == m->rank)
		m->round->accumulator = usable_recv(r);
	show_vector(r);
	if (!ampi_meet_arrive(m))
		return;
	r->home = r->root < 0 ? 0 : m->grouping->part_of[r->root];
	if (by_parts(r))
		lead_by_parts(r);
	else
		lead_in_order(r);
	ampi_meet_release(m);
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
		r->board = ampi_meet_board(&r->m);
		reduce_on_board(r);
	} else {
		reduce_by_address(r);
	}
}

const char *ampi_reduction_result(struct ampi_reduction *r)
{
	return ampi_meet_failed(&r->m) ? NULL : vr_live(r->m.round->block.data);
}

/* Copy elements [from, from + count) of the result to the receive buffer. */
void ampi_reduction_take(struct ampi_reduction *r, int64_t from, int64_t count)
{
	const char *result = ampi_reduction_result(r);
	if (result)
		ampi_copy_elements(r->recv, result + from * r->op.type->extent, count, r->op.type);
}
