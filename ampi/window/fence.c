/* Fences, and what else ends operations without a partner: flushes and MPI_Win_sync (MPI 5.0 sections 12.5.1 and 12.5.4). Every operation is done
 * when its call returns, so what is left is that the processor has written it. */
#include "ampi/window/window.h"

#define FENCE_ASSERTS (MPI_MODE_NOSTORE | MPI_MODE_NOPUT | MPI_MODE_NOPRECEDE | MPI_MODE_NOSUCCEED)

static int check_fence(const struct ampi_win *w, int fn, int assert)
{
	if (assert & ~FENCE_ASSERTS)
		return ampi_win_raise(w, MPI_ERR_ASSERT, fn, "assert is 0x%x, which this call does not take", (unsigned)assert);
	if (w->epoch != AMPI_EPOCH_NONE && w->epoch != AMPI_EPOCH_FENCE)
		return ampi_win_out_of_epoch(w, fn);
	if (w->exposure)
		return ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "an exposure epoch is open: MPI_Win_wait ends it");
	return MPI_SUCCESS;
}

int ampi_Win_fence(int assert, MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_fence;
	struct ampi_win *w = ampi_win(win);
	if (vr_unlikely(!w))
		return ampi_bad_win(win, fn);
	int error = check_fence(w, fn, assert);
	if (vr_unlikely(error) || vr_unlikely((error = ampi_win_barrier(w, fn))))
		return error;
	w->epoch = assert & MPI_MODE_NOSUCCEED ? AMPI_EPOCH_NONE : AMPI_EPOCH_FENCE;
	w->is_used = 0;
	return MPI_SUCCESS;
}

static inline void finish(void)
{
	atomic_thread_fence(memory_order_seq_cst);
	ampi_win_polled();
}

static inline int is_passive(const struct ampi_win *w)
{
	return w->epoch == AMPI_EPOCH_LOCK_ALL || w->epoch == AMPI_EPOCH_LOCK;
}

/* All targets that the rank has locked. */
static inline int flush_all(int fn, MPI_Win win)
{
	struct ampi_win *w = ampi_win(win);
	if (vr_unlikely(!w))
		return ampi_bad_win(win, fn);
	if (vr_unlikely(!is_passive(w)))
		return ampi_win_out_of_epoch(w, fn);
	finish();
	return MPI_SUCCESS;
}

static inline int flush(int fn, int rank, MPI_Win win)
{
	struct ampi_win *w = ampi_win(win);
	if (vr_unlikely(!w))
		return ampi_bad_win(win, fn);
	if (vr_unlikely((uint32_t)rank >= (uint32_t)w->size))
		return rank == MPI_PROC_NULL ? MPI_SUCCESS : ampi_win_check_rank(w, fn, "rank", rank);
	if (vr_unlikely(w->epoch != AMPI_EPOCH_LOCK_ALL && (w->epoch != AMPI_EPOCH_LOCK || !w->reach[rank])))
		return ampi_win_out_of_epoch(w, fn);
	finish();
	return MPI_SUCCESS;
}

int ampi_Win_flush(int rank, MPI_Win win)
{
	return flush(AMPI_FN_MPI_Win_flush, rank, win);
}

int ampi_Win_flush_local(int rank, MPI_Win win)
{
	return flush(AMPI_FN_MPI_Win_flush_local, rank, win);
}

int ampi_Win_flush_all(MPI_Win win)
{
	return flush_all(AMPI_FN_MPI_Win_flush_all, win);
}

int ampi_Win_flush_local_all(MPI_Win win)
{
	return flush_all(AMPI_FN_MPI_Win_flush_local_all, win);
}

/* There is one copy of the window. Programs poll shared windows with this call, and those they wait for may want the PE. */
int ampi_Win_sync(MPI_Win win)
{
	if (vr_unlikely(!ampi_win(win)))
		return ampi_bad_win(win, AMPI_FN_MPI_Win_sync);
	atomic_thread_fence(memory_order_seq_cst);
	vr_rank_yield();
	return MPI_SUCCESS;
}
