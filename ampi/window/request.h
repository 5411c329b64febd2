/* Requests of one-sided operations: every operation is complete when its call returns, so they all are the rank's request 0. */
#ifndef AMPI_WINDOW_REQUEST_H
#define AMPI_WINDOW_REQUEST_H

#include "ampi/window/window.h"

/* 0, or what was raised: such calls are for passive targets only (MPI 5.0 section 12.3.5). */
static inline int ampi_rma_request_check(MPI_Win win, int fn, int target)
{
	const struct ampi_win *w = ampi_win(win);
	if (vr_unlikely(!w))
		return ampi_bad_win(win, fn);
	if (vr_likely(w->epoch == AMPI_EPOCH_LOCK_ALL || w->epoch == AMPI_EPOCH_LOCK || target == MPI_PROC_NULL))
		return MPI_SUCCESS;
	return ampi_win_out_of_epoch(w, fn);
}

/* The request of a call that ended with `error`. */
static inline int ampi_rma_request(MPI_Request *request, int error)
{
	*request = error ? MPI_REQUEST_NULL : ampi_done_request();
	return error;
}

#endif
