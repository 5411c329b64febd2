/* What a window says of itself: group, memory of others, name, attributes, hints, error handler (MPI 5.0 sections 7.8, 9.3.2, 12.2.5 to 12.2.7). */
#include "ampi/comm/attr.h"
#include "ampi/comm/comm_make.h"
#include "ampi/errhandler.h"
#include "ampi/window/window.h"
#include "vrank/core/isolate.h"

#include <string.h>

int ampi_Win_get_group(MPI_Win win, MPI_Group *group)
{
	const int fn = AMPI_FN_MPI_Win_get_group;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	return (int)ampi_serve_as(fn, AMPI_FN_MPI_Comm_group, (uint64_t[]){w->comm->handle, (uint64_t)group}, 2);
}

/* ---- memory of others ---- */

static int is_visible(const struct ampi_win *w)
{
	return w->flavor == MPI_WIN_FLAVOR_SHARED || w->flavor == MPI_WIN_FLAVOR_ALLOCATE;
}

/* With MPI_PROC_NULL: the first member that has some. */
static int segment_of(const struct ampi_win *w, int rank)
{
	int i = 0;
	if (rank != MPI_PROC_NULL)
		return rank;
	while (i < w->size - 1 && !w->member[i].part.size)
		i++;
	return i;
}

/* What others have allocated in their slices a rank may not touch under +isolate: then there is nothing (MPI 5.0 section 12.2.3). */
static int is_closed(const struct ampi_win *w, int rank)
{
	return vr_isolated && w->flavor == MPI_WIN_FLAVOR_ALLOCATE && rank != w->rank;
}

static int query(int fn, MPI_Win win, int rank, MPI_Aint *size, int64_t *unit, void *baseptr)
{
	struct ampi_win *w = ampi_win(win);
	int error;
	if (!w)
		return ampi_bad_win(win, fn);
	if (!is_visible(w))
		return ampi_win_raise(w, MPI_ERR_RMA_FLAVOR, fn, "the window was not made by MPI_Win_allocate_shared or MPI_Win_allocate");
	if (rank != MPI_PROC_NULL && (error = ampi_win_check_rank(w, fn, "rank", rank)))
		return error;
	rank = segment_of(w, rank);
	int closed = is_closed(w, rank);
	*size = closed ? 0 : w->member[rank].part.size;
	*unit = w->member[rank].unit;
	*(void **)baseptr = closed ? NULL : w->member[rank].part.base;
	return MPI_SUCCESS;
}

int ampi_Win_shared_query(MPI_Win win, int rank, MPI_Aint *size, int *unit, void *baseptr)
{
	int64_t wide = 0;
	int error = query(AMPI_FN_MPI_Win_shared_query, win, rank, size, &wide, baseptr);
	if (!error)
		*unit = (int)wide;
	return error;
}

int ampi_Win_shared_query_c(MPI_Win win, int rank, MPI_Aint *size, MPI_Aint *unit, void *baseptr)
{
	int64_t wide = 0;
	int error = query(AMPI_FN_MPI_Win_shared_query_c, win, rank, size, &wide, baseptr);
	if (!error)
		*unit = wide;
	return error;
}

/* ---- names ---- */

int ampi_Win_set_name(MPI_Win win, const char *name)
{
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, AMPI_FN_MPI_Win_set_name);
	size_t n = strnlen(name, sizeof w->name - 1);
	memmove(w->name, name, n);
	w->name[n] = 0;
	return MPI_SUCCESS;
}

/* Of MPI_WIN_NULL, too (MPI 5.0 section 7.8). */
int ampi_Win_get_name(MPI_Win win, char *name, int *length)
{
	struct ampi_win *w = ampi_win(win);
	int null = win == MPI_WIN_NULL && ampi_running();
	if (!w && !null)
		return ampi_bad_win(win, AMPI_FN_MPI_Win_get_name);
	const char *is = null ? "MPI_WIN_NULL" : w->name;
	*length = (int)strlen(is);
	memcpy(name, is, *length + 1);
	return MPI_SUCCESS;
}

/* ---- attributes ---- */

static int is_predefined(int keyval)
{
	return (keyval >= MPI_WIN_BASE && keyval <= MPI_WIN_MODEL) || ampi_place_attr(keyval);
}

/* What C programs get: the base itself, and addresses of the others. */
static void *predefined(struct ampi_win *w, int keyval)
{
	switch (keyval) {
	case MPI_WIN_BASE:
		return vr_live(w->member[w->rank].part.base);
	case MPI_WIN_SIZE:
		return &w->size_attr;
	case MPI_WIN_DISP_UNIT:
		return &w->unit_attr;
	case MPI_WIN_CREATE_FLAVOR:
		return &w->flavor_attr;
	case MPI_WIN_MODEL:
		return &w->model_attr;
	}
	return (void *)ampi_place_attr(keyval);
}

static struct ampi_holder holder(struct ampi_win *w, int fn)
{
	return (struct ampi_holder){AMPI_WIN, w->handle, &w->attrs, {AMPI_WIN, w->handle, w->errhandler}, fn};
}

static int read_only(const struct ampi_win *w, int fn, int keyval)
{
	return ampi_win_raise(w, MPI_ERR_KEYVAL, fn, "keyval %d is a predefined attribute, which cannot be changed", keyval);
}

int ampi_Win_get_attr(MPI_Win win, int keyval, void *value, int *flag)
{
	const int fn = AMPI_FN_MPI_Win_get_attr;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	struct ampi_holder h = holder(w, fn);
	if (!is_predefined(keyval))
		return ampi_attr_get(&h, keyval, value, flag);
	*(void **)value = predefined(w, keyval);
	*flag = 1;
	return MPI_SUCCESS;
}

int ampi_Win_set_attr(MPI_Win win, int keyval, void *value)
{
	const int fn = AMPI_FN_MPI_Win_set_attr;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	struct ampi_holder h = holder(w, fn);
	return is_predefined(keyval) ? read_only(w, fn, keyval) : ampi_attr_set(&h, keyval, value);
}

int ampi_Win_delete_attr(MPI_Win win, int keyval)
{
	const int fn = AMPI_FN_MPI_Win_delete_attr;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	struct ampi_holder h = holder(w, fn);
	return is_predefined(keyval) ? read_only(w, fn, keyval) : ampi_attr_delete(&h, keyval);
}

int ampi_Win_create_keyval(MPI_Win_copy_attr_function *copy, MPI_Win_delete_attr_function *delete, int *keyval, void *extra)
{
	return ampi_keyval_create(AMPI_FN_MPI_Win_create_keyval, AMPI_WIN, copy, delete, extra, keyval);
}

int ampi_Win_free_keyval(int *keyval)
{
	return ampi_keyval_free(AMPI_FN_MPI_Win_free_keyval, AMPI_WIN, keyval);
}

/* ---- hints ---- */

int ampi_win_hints_take(struct ampi_win *w, int fn, MPI_Info info)
{
	if (info == MPI_INFO_NULL)
		return MPI_SUCCESS;
	int klass = ampi_serve_class(AMPI_FN_WIN_HINTS, (uint64_t[]){(uint64_t)info, (uint64_t)&w->info}, 2);
	return klass ? ampi_win_raise(w, klass, fn, "%s", vr_context->call.text) : MPI_SUCCESS;
}

int ampi_Win_set_info(MPI_Win win, MPI_Info info)
{
	const int fn = AMPI_FN_MPI_Win_set_info;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	if (info == MPI_INFO_NULL)
		return ampi_win_raise(w, MPI_ERR_INFO, fn, "info is MPI_INFO_NULL");
	return ampi_win_hints_take(w, fn, info);
}

int ampi_Win_get_info(MPI_Win win, MPI_Info *info)
{
	const int fn = AMPI_FN_MPI_Win_get_info;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	int klass = ampi_serve_class(AMPI_FN_WIN_INFO, (uint64_t[]){w->info, (uint64_t)info}, 2);
	return klass ? ampi_win_raise(w, klass, fn, "%s", vr_context->call.text) : MPI_SUCCESS;
}

/* ---- error handlers ---- */

static struct ampi_culprit culprit(const struct ampi_win *w)
{
	return (struct ampi_culprit){AMPI_WIN, w->handle, w->errhandler};
}

int ampi_Win_set_errhandler(MPI_Win win, MPI_Errhandler h)
{
	const int fn = AMPI_FN_MPI_Win_set_errhandler;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	struct ampi_culprit at = culprit(w);
	return ampi_errhandler_set(&at, fn, &w->errhandler, h);
}

int ampi_Win_get_errhandler(MPI_Win win, MPI_Errhandler *out)
{
	struct ampi_win *w = ampi_win(win);
	return w ? ampi_errhandler_get(w->errhandler, out) : ampi_bad_win(win, AMPI_FN_MPI_Win_get_errhandler);
}

int ampi_Win_call_errhandler(MPI_Win win, int code)
{
	const int fn = AMPI_FN_MPI_Win_call_errhandler;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	struct ampi_culprit at = culprit(w);
	return ampi_errhandler_call(&at, code, fn);
}
