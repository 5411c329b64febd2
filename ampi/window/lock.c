/* Locks of targets (MPI 5.0 section 12.5.3). One word says who may be in the window at the same time: those that have locked all targets, or those
 * that have single ones for themselves. So MPI_Win_lock_all takes one lock, whatever the size of the window. */
#include "ampi/window/window.h"

static int bad_epoch(const struct ampi_win *w, int fn, int rank)
{
	if (w->epoch == AMPI_EPOCH_LOCK && w->reach[rank])
		return ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "the rank has locked rank %d already", rank);
	return ampi_win_out_of_epoch(w, fn);
}

static int may_lock(const struct ampi_win *w, int rank)
{
	if (w->epoch == AMPI_EPOCH_LOCK)
		return !w->reach[rank];
	return w->epoch == AMPI_EPOCH_NONE || (w->epoch == AMPI_EPOCH_FENCE && !w->is_used);
}

static inline void in_wait(const struct ampi_win *w, int fn, int rank, const struct ampi_fair_lock *l)
{
	vr_context->wait = (struct vr_wait){.fn = fn, .peer = rank, .tag = VR_WAITS_FOR_LOCK, .context = w->comm->context, .count = (uint64_t)&l->holder};
}

static void lock_alone(struct ampi_win *w, int fn, int rank)
{
	struct ampi_fair_lock *everywhere = &w->shared->everywhere, *l = &w->member[rank].lock;
	if (!w->exclusive++) {
		in_wait(w, fn, VR_NOBODY, everywhere);
		ampi_fair_lock_take(everywhere, AMPI_LOCK_OTHER, w->rank);
	}
	in_wait(w, fn, rank, l);
	ampi_fair_lock_take(l, AMPI_LOCK_ALONE, w->rank);
}

int ampi_Win_lock(int type, int rank, int assert, MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_lock;
	struct ampi_win *w = ampi_win(win);
	int error;
	if (vr_unlikely(!w))
		return ampi_bad_win(win, fn);
	if (vr_unlikely(type != MPI_LOCK_SHARED && type != MPI_LOCK_EXCLUSIVE))
		return ampi_win_raise(w, MPI_ERR_LOCKTYPE, fn, "lock_type is %d: neither MPI_LOCK_SHARED nor MPI_LOCK_EXCLUSIVE", type);
	if (vr_unlikely(assert & ~MPI_MODE_NOCHECK))
		return ampi_win_raise(w, MPI_ERR_ASSERT, fn, "assert is 0x%x, which this call does not take", (unsigned)assert);
	if (vr_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	if (vr_unlikely((uint32_t)rank >= (uint32_t)w->size))
		return ampi_win_check_rank(w, fn, "rank", rank);
	if (vr_unlikely(!w->reach) && (error = ampi_win_need_reach(w, fn)))
		return error;
	if (vr_unlikely(!may_lock(w, rank)))
		return bad_epoch(w, fn, rank);
	if (vr_unlikely(assert & MPI_MODE_NOCHECK)) {
		w->reach[rank] = AMPI_REACH_UNLOCKED;
	} else if (type == MPI_LOCK_EXCLUSIVE) {
		lock_alone(w, fn, rank);
		w->reach[rank] = AMPI_REACH_EXCLUSIVE;
	} else {
		in_wait(w, fn, rank, &w->member[rank].lock);
		ampi_fair_lock_take(&w->member[rank].lock, AMPI_LOCK_SHARED, w->rank);
		w->reach[rank] = AMPI_REACH_SHARED;
	}
	w->epoch = AMPI_EPOCH_LOCK;
	w->locks++;
	return MPI_SUCCESS;
}

int ampi_Win_unlock(int rank, MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_unlock;
	struct ampi_win *w = ampi_win(win);
	if (vr_unlikely(!w))
		return ampi_bad_win(win, fn);
	if (vr_unlikely(rank == MPI_PROC_NULL))
		return MPI_SUCCESS;
	if (vr_unlikely((uint32_t)rank >= (uint32_t)w->size))
		return ampi_win_check_rank(w, fn, "rank", rank);
	if (vr_unlikely(w->epoch != AMPI_EPOCH_LOCK || !w->reach[rank]))
		return ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "the rank has not locked rank %d", rank);
	if (w->reach[rank] != AMPI_REACH_UNLOCKED)
		ampi_fair_lock_give(&w->member[rank].lock);
	if (w->reach[rank] == AMPI_REACH_EXCLUSIVE && !--w->exclusive)
		ampi_fair_lock_give(&w->shared->everywhere);
	w->reach[rank] = AMPI_REACH_NONE;
	if (!--w->locks)
		w->epoch = AMPI_EPOCH_NONE;
	atomic_thread_fence(memory_order_seq_cst);
	ampi_win_polled();
	return MPI_SUCCESS;
}

int ampi_Win_lock_all(int assert, MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_lock_all;
	struct ampi_win *w = ampi_win(win);
	int error;
	if (!w)
		return ampi_bad_win(win, fn);
	if ((error = ampi_win_check_idle(w, fn)))
		return error;
	if (assert & ~MPI_MODE_NOCHECK)
		return ampi_win_raise(w, MPI_ERR_ASSERT, fn, "assert is 0x%x, which this call does not take", (unsigned)assert);
	w->nocheck = assert & MPI_MODE_NOCHECK;
	if (!w->nocheck) {
		in_wait(w, fn, VR_NOBODY, &w->shared->everywhere);
		ampi_fair_lock_take(&w->shared->everywhere, AMPI_LOCK_SHARED, w->rank);
	}
	w->epoch = AMPI_EPOCH_LOCK_ALL;
	return MPI_SUCCESS;
}

int ampi_Win_unlock_all(MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_unlock_all;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	if (w->epoch != AMPI_EPOCH_LOCK_ALL)
		return ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "the rank has not called MPI_Win_lock_all");
	if (!w->nocheck)
		ampi_fair_lock_give(&w->shared->everywhere);
	w->epoch = AMPI_EPOCH_NONE;
	atomic_thread_fence(memory_order_seq_cst);
	ampi_win_polled();
	return MPI_SUCCESS;
}
