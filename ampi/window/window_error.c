/* Errors of windows (MPI 5.0 section 12.6). */
#include "ampi/errhandler.h"
#include "ampi/window/window.h"

#include <stdarg.h>
#include <stdio.h>

#define TEXT_ROOM 160

static const char *label(const struct ampi_win *w, char *room, size_t n)
{
	if (*w->name)
		snprintf(room, n, "window \"%.40s\"", w->name);
	else
		snprintf(room, n, "the window with handle 0x%x", (unsigned)w->handle);
	return room;
}

int ampi_win_raise(const struct ampi_win *w, int klass, int fn, const char *fmt, ...)
{
	const struct ampi_culprit at = {AMPI_WIN, w->handle, w->errhandler};
	char text[TEXT_ROOM], which[64];
	va_list args;
	va_start(args, fmt);
	vsnprintf(text, sizeof text, fmt, args);
	va_end(args);
	return ampi_raise_on(&at, klass, fn, "%s, on %s", text, label(w, which, sizeof which));
}

int ampi_win_no_memory(const struct ampi_win *w, int fn)
{
	return ampi_win_raise(w, MPI_ERR_NO_MEM, fn, "%s", vr_why_full(vr_current));
}

int ampi_bad_win(MPI_Win win, int fn)
{
	int error = ampi_check_running(fn);
	if (error)
		return error;
	if (win == MPI_WIN_NULL)
		return ampi_raise(NULL, MPI_ERR_WIN, fn, "win is MPI_WIN_NULL");
	return ampi_raise(NULL, MPI_ERR_WIN, fn, "win (handle 0x%lx) is not a window, or was freed", (unsigned long)win);
}

int ampi_win_check_rank(const struct ampi_win *w, int fn, const char *name, int rank)
{
	if (vr_likely((uint32_t)rank < (uint32_t)w->size))
		return MPI_SUCCESS;
	return ampi_win_raise(w, MPI_ERR_RANK, fn, "%s is %d, in a window of %d ranks", name, rank, w->size);
}

static const char *epoch_name(const struct ampi_win *w)
{
	switch ((enum ampi_epoch)w->epoch) {
	case AMPI_EPOCH_START:
		return "in one that MPI_Win_start began";
	case AMPI_EPOCH_LOCK:
		return "in one that MPI_Win_lock began";
	case AMPI_EPOCH_LOCK_ALL:
		return "in one that MPI_Win_lock_all began";
	case AMPI_EPOCH_FENCE:
		return w->is_used ? "in one that MPI_Win_fence began" : "behind a fence";
	case AMPI_EPOCH_NONE:
		break;
	}
	return "in none";
}

int ampi_win_out_of_epoch(const struct ampi_win *w, int fn)
{
	return ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "it is called outside of an access epoch that allows it: the rank is %s", epoch_name(w));
}

int ampi_win_check_idle(const struct ampi_win *w, int fn)
{
	int in_fence = w->epoch == AMPI_EPOCH_FENCE && w->is_used;
	return w->epoch == AMPI_EPOCH_NONE || (w->epoch == AMPI_EPOCH_FENCE && !in_fence) ? MPI_SUCCESS : ampi_win_out_of_epoch(w, fn);
}
