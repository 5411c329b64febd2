/* Dynamic windows: memory that members attach and detach (MPI 5.0 section 12.2.4). Origins look at the list at the same time. */
#include "ampi/window/spin.h"
#include "ampi/window/window.h"

#include <string.h>

static int check_dynamic(const struct ampi_win *w, int fn)
{
	return w->flavor == MPI_WIN_FLAVOR_DYNAMIC ? MPI_SUCCESS : ampi_win_raise(w, MPI_ERR_RMA_FLAVOR, fn, "the window is not a dynamic one");
}

/* Where a part that begins here is, or would be. */
static int place_of(const struct ampi_win_member *me, const char *base)
{
	int i = 0;
	while (i < me->nparts && me->parts[i].base < base)
		i++;
	return i;
}

static int overlaps(const struct ampi_win_member *me, int i, const char *base, int64_t size)
{
	return (i < me->nparts && me->parts[i].base < base + size) || (i > 0 && me->parts[i - 1].base + me->parts[i - 1].size > base);
}

/* Room for one more, in a list that nobody looks at yet. NULL: there is. */
static struct ampi_win_part *longer(const struct ampi_win_member *me, int *room)
{
	*room = me->room ? 2 * me->room : 8;
	struct ampi_win_part *list = vr_rank_alloc(vr_current, *room * sizeof *list);
	if (list && me->nparts)
		memcpy(list, me->parts, me->nparts * sizeof *list);
	return list;
}

static int grow(const struct ampi_win *w, struct ampi_win_member *me, int fn)
{
	int room;
	if (me->nparts < me->room)
		return MPI_SUCCESS;
	struct ampi_win_part *list = longer(me, &room), *old = me->parts;
	if (!list)
		return ampi_win_no_memory(w, fn);
	ampi_spin_lock(&me->busy);
	me->parts = list;
	me->room = room;
	ampi_spin_unlock(&me->busy);
	vr_rank_free(vr_current, old);
	return MPI_SUCCESS;
}

int ampi_Win_attach(MPI_Win win, void *base, MPI_Aint size)
{
	const int fn = AMPI_FN_MPI_Win_attach;
	struct ampi_win *w = ampi_win(win);
	int error;
	if (!w)
		return ampi_bad_win(win, fn);
	if ((error = check_dynamic(w, fn)))
		return error;
	if (size < 0)
		return ampi_win_raise(w, MPI_ERR_SIZE, fn, "size is %lld", (long long)size);
	if (size && !base)
		return ampi_win_raise(w, MPI_ERR_ARG, fn, "base is a null pointer, with a size of %lld", (long long)size);
	if (size && !vr_access_holds(base, size))
		return ampi_win_raise(w, MPI_ERR_RMA_ATTACH, fn, "the %lld bytes at %p are not all memory of the rank", (long long)size, base);
	struct ampi_win_member *me = &w->member[w->rank];
	char *at = vr_canonical(vr_current, base);
	int i = place_of(me, at);
	if (size && overlaps(me, i, at, size))
		return ampi_win_raise(w, MPI_ERR_RMA_ATTACH, fn, "a part of the %lld bytes at %p is attached already", (long long)size, base);
	if ((error = grow(w, me, fn)))
		return error;
	ampi_spin_lock(&me->busy);
	memmove(&me->parts[i + 1], &me->parts[i], (me->nparts - i) * sizeof *me->parts);
	me->parts[i] = (struct ampi_win_part){at, size, ampi_win_is_direct(base, size)};
	me->nparts++;
	ampi_spin_unlock(&me->busy);
	return MPI_SUCCESS;
}

int ampi_Win_detach(MPI_Win win, const void *base)
{
	const int fn = AMPI_FN_MPI_Win_detach;
	struct ampi_win *w = ampi_win(win);
	int error;
	if (!w)
		return ampi_bad_win(win, fn);
	if ((error = check_dynamic(w, fn)))
		return error;
	struct ampi_win_member *me = &w->member[w->rank];
	const char *at = vr_canonical(vr_current, base);
	int i = place_of(me, at);
	if (i == me->nparts || me->parts[i].base != at)
		return ampi_win_raise(w, MPI_ERR_RMA_ATTACH, fn, "no attached memory begins at %p", base);
	ampi_spin_lock(&me->busy);
	memmove(&me->parts[i], &me->parts[i + 1], (--me->nparts - i) * sizeof *me->parts);
	ampi_spin_unlock(&me->busy);
	return MPI_SUCCESS;
}
