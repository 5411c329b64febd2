/* What is wrong with the arguments of an operation, and how a target comes into reach. */
#include "ampi/window/rma.h"
#include "ampi/window/exposure.h"
#include "ampi/window/spin.h"

int ampi_rma_bad_rank(const struct ampi_rma *o)
{
	return ampi_win_check_rank(o->win, o->fn, "target_rank", o->rank);
}

int ampi_rma_bad_disp(const struct ampi_rma *o, MPI_Aint disp)
{
	return ampi_win_raise(o->win, MPI_ERR_DISP, o->fn, "target_disp is %lld, in units of %lld bytes", (long long)disp, (long long)o->target->unit);
}

int ampi_rma_out_of_window(const struct ampi_rma *o, MPI_Aint disp, struct ampi_span span)
{
	const struct ampi_win_member *m = o->target;
	if (o->win->flavor == MPI_WIN_FLAVOR_DYNAMIC)
		return ampi_win_raise(o->win, MPI_ERR_RMA_RANGE, o->fn, "%lld bytes at address 0x%llx are not in memory that rank %d has attached",
				      (long long)span.bytes, (long long)(disp + span.first), o->rank);
	return ampi_win_raise(o->win, MPI_ERR_RMA_RANGE, o->fn, "bytes %lld to %lld are outside of the %lld that rank %d has in the window",
			      (long long)(disp * m->unit + span.first), (long long)(disp * m->unit + span.first + span.bytes), (long long)m->part.size, o->rank);
}

int ampi_rma_bad_type(const struct ampi_rma *o, const char *whose, MPI_Datatype type)
{
	const struct vr_type *t = ampi_type(type);
	if (type == MPI_DATATYPE_NULL)
		return ampi_win_raise(o->win, MPI_ERR_TYPE, o->fn, "%s_datatype is MPI_DATATYPE_NULL", whose);
	if (t && !(t->flags & VR_TYPE_FREED))
		return ampi_win_raise(o->win, MPI_ERR_TYPE, o->fn, "%s_datatype is not committed", whose);
	return ampi_win_raise(o->win, MPI_ERR_TYPE, o->fn, "%s_datatype (handle 0x%lx) is not a datatype, or was freed", whose, (unsigned long)type);
}

int ampi_rma_bad_count(const struct ampi_rma *o, const char *whose, int64_t count)
{
	return ampi_win_raise(o->win, MPI_ERR_COUNT, o->fn, "%s_count is %lld%s", whose, (long long)count, count < 0 ? "" : ", more than any buffer holds");
}

int ampi_rma_bad_buffer(const struct ampi_rma *o, const char *whose, const void *buf)
{
	return ampi_win_raise(o->win, MPI_ERR_BUFFER, o->fn, "%s_addr is %s", whose, buf == MPI_IN_PLACE ? "MPI_IN_PLACE" : "a null pointer, with a count above 0");
}

int ampi_rma_too_long(const struct ampi_rma *o, int64_t has, int64_t room)
{
	return ampi_win_raise(o->win, MPI_ERR_TRUNCATE, o->fn, "%lld bytes do not fit into a buffer of %lld", (long long)has, (long long)room);
}

int ampi_rma_reach(struct ampi_rma *o)
{
	struct ampi_win *w = o->win;
	int reach = w->epoch && w->reach ? w->reach[o->rank] : AMPI_REACH_NONE;
	if (vr_unlikely(reach == AMPI_REACH_POSTED_LATER)) {
		ampi_post_await(w, o->fn, o->rank);
		return MPI_SUCCESS;
	}
	return vr_likely(reach) ? MPI_SUCCESS : ampi_win_out_of_epoch(w, o->fn);
}

int ampi_rma_find_part(struct ampi_rma *o, MPI_Aint address, struct ampi_span span)
{
	struct ampi_win_member *m = o->target;
	uint64_t lo = (uint64_t)vr_canonical(m->rank, (char *)address + span.first);
	int found = 0;
	ampi_spin_lock(&m->busy);
	for (int i = 0; i < m->nparts && !found; i++) {
		const struct ampi_win_part *p = &m->parts[i];
		uint64_t at = lo - (uint64_t)p->base;
		found = at < (uint64_t)p->size && (uint64_t)span.bytes <= (uint64_t)p->size - at;
		o->is_direct = p->is_direct;
	}
	ampi_spin_unlock(&m->busy);
	o->there.buf = (char *)lo - span.first;
	return found;
}
