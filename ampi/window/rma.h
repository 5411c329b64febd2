/* One operation on a target: its arguments, checked, and where the target's buffer is. What is ordinary is inline; a put of a few bytes is to cost
 * little more than the bytes (MPI 5.0 section 12.3). */
#ifndef AMPI_RMA_H
#define AMPI_RMA_H

#include <string.h>

#include "ampi/buffer.h"
#include "ampi/coll/reduce_call.h"
#include "ampi/window/window.h"
#include "vrank/p2p/traffic.h"

struct ampi_rma {
	struct ampi_win *win;
	struct ampi_win_member *target;
	int fn, rank; /* of the target in the window */
	int32_t is_direct;
	struct vr_data there; /* the target's buffer, at its canonical address */
};

/* Nothing is to be done: the call is right, and moves nothing. */
#define AMPI_RMA_NOTHING (-1)

/* What the ways that are not inline say, each raised: rma.c. */
int ampi_rma_bad_rank(const struct ampi_rma *o);
int ampi_rma_bad_disp(const struct ampi_rma *o, MPI_Aint disp);
int ampi_rma_out_of_window(const struct ampi_rma *o, MPI_Aint disp, struct ampi_span span);
int ampi_rma_bad_type(const struct ampi_rma *o, const char *whose, MPI_Datatype type);
int ampi_rma_bad_count(const struct ampi_rma *o, const char *whose, int64_t count);
int ampi_rma_bad_buffer(const struct ampi_rma *o, const char *whose, const void *buf);
int ampi_rma_too_long(const struct ampi_rma *o, int64_t has, int64_t room);

/* The target is not reached at once: wait for its post, or raise that it is out of reach. Switches. */
int ampi_rma_reach(struct ampi_rma *o);

/* Find the part of a dynamic window that [address, address + span) lies in: 1 when there is one. */
int ampi_rma_find_part(struct ampi_rma *o, MPI_Aint address, struct ampi_span span);

/* ---- checks; each returns 0, a class that was raised, or AMPI_RMA_NOTHING ---- */

static inline int ampi_rma_check_type(const struct ampi_rma *o, const char *whose, int64_t count, MPI_Datatype handle, const struct vr_type **out)
{
	const struct vr_type *t = *out = ampi_type(handle);
	if (vr_unlikely(!t || !(t->flags & VR_TYPE_COMMITTED)))
		return ampi_rma_bad_type(o, whose, handle);
	return vr_unlikely(ampi_is_no_count(count, t)) ? ampi_rma_bad_count(o, whose, count) : MPI_SUCCESS;
}

static inline int ampi_rma_locate(struct ampi_rma *o, MPI_Aint disp)
{
	const struct ampi_win_member *m = o->target;
	struct ampi_span span = ampi_span_of(o->there.type, o->there.count);
	int64_t at;
	if (vr_unlikely(o->win->flavor == MPI_WIN_FLAVOR_DYNAMIC))
		return ampi_rma_find_part(o, disp, span) ? MPI_SUCCESS : ampi_rma_out_of_window(o, disp, span);
	if (vr_unlikely(disp < 0 || __builtin_mul_overflow(disp, m->unit, &at)))
		return ampi_rma_bad_disp(o, disp);
	if (vr_unlikely((uint64_t)(at + span.first) > (uint64_t)m->part.size || span.bytes > m->part.size - at - span.first))
		return ampi_rma_out_of_window(o, disp, span);
	o->there.buf = m->part.base + at;
	o->is_direct = m->part.is_direct;
	return MPI_SUCCESS;
}

/* The target and its buffer. */
static inline int ampi_rma_open(struct ampi_rma *o, int fn, MPI_Win win, int target, MPI_Aint disp, int64_t count, MPI_Datatype type)
{
	struct ampi_win *w = o->win = ampi_win(win);
	int error;
	o->fn = fn;
	o->rank = target;
	if (vr_unlikely(!w))
		return ampi_bad_win(win, fn);
	if (vr_unlikely((error = ampi_rma_check_type(o, "target", count, type, &o->there.type))))
		return error;
	if (vr_unlikely((uint32_t)target >= (uint32_t)w->size))
		return target == MPI_PROC_NULL ? AMPI_RMA_NOTHING : ampi_rma_bad_rank(o);
	o->target = &w->member[target];
	o->there.count = count;
	if (vr_unlikely(w->epoch < AMPI_EPOCH_FENCE) && (error = ampi_rma_reach(o)))
		return error;
	w->is_used = 1;
	if (vr_unlikely(!count || !o->there.type->size))
		return AMPI_RMA_NOTHING;
	if (vr_unlikely(vr_traffic_on))
		vr_traffic_add(vr_current, o->target->rank->id, count * o->there.type->size);
	return ampi_rma_locate(o, disp);
}

/* A buffer of the origin. */
static inline int ampi_rma_origin(const struct ampi_rma *o, const char *whose, struct vr_data *d, const void *buf, int64_t count, MPI_Datatype type)
{
	int error = ampi_rma_check_type(o, whose, count, type, &d->type);
	d->buf = (void *)buf;
	d->count = count;
	if (vr_unlikely(error))
		return error;
	return ampi_is_no_buffer(buf, count, d->type) ? ampi_rma_bad_buffer(o, whose, buf) : MPI_SUCCESS;
}

/* ---- the target's memory ---- */

/* Can this worker touch it now? Else window_remote.c. */
static inline int ampi_rma_is_here(const struct ampi_rma *o)
{
	return vr_likely(o->is_direct) || vr_is_mine(o->target->rank);
}

/* The target's buffer where it is now. */
static inline struct vr_data ampi_rma_there(const struct ampi_rma *o)
{
	struct vr_data d = o->there;
	if (vr_unlikely(!o->is_direct))
		d.buf = vr_live(d.buf);
	return d;
}

static inline void ampi_rma_copy(struct vr_data to, struct vr_data from, int64_t bytes)
{
	int64_t at_to, at_from;
	if (vr_likely(vr_type_is_dense(to.type, to.count, &at_to) && vr_type_is_dense(from.type, from.count, &at_from))) {
		if (vr_likely(bytes == 8))
			memcpy((char *)to.buf + at_to, (char *)from.buf + at_from, 8);
		else
			memmove((char *)to.buf + at_to, (char *)from.buf + at_from, bytes);
		return;
	}
	vr_type_copy(to, from, bytes);
}

/* ---- by the target's worker, where no other has the memory: window_remote.c. Each returns 0, or what was raised. Switch ---- */

int ampi_rma_remote_put(const struct ampi_rma *o, struct vr_data from, int64_t bytes);
int ampi_rma_remote_get(const struct ampi_rma *o, struct vr_data to, int64_t bytes);

#endif
