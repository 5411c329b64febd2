/* Post, start, complete, wait and test: see exposure.h. */
#include "ampi/comm/comm_make.h"
#include "ampi/window/exposure.h"
#include "ampi/window/spin.h"

/* ---- groups ---- */

/* The members of a group by their ranks in the window, in the slice; n of them. 0, or what was raised. */
static int targets_of(const struct ampi_win *w, int fn, MPI_Group group, int32_t **out, int32_t *n)
{
	struct ampi_members g;
	int error = ampi_members_open(&g, w->comm, fn, group, "group");
	if (error)
		return ampi_win_raise(w, error, fn, "group is not a group, or was freed");
	int32_t *place = g.n ? vr_rank_alloc(vr_current, vr_job->ranks * sizeof *place) : NULL;
	error = g.n && !place ? ampi_win_no_memory(w, fn) : MPI_SUCCESS;
	for (int i = 0; place && i < vr_job->ranks; i++)
		place[i] = -1;
	for (int i = 0; place && i < w->size; i++)
		place[w->member[i].rank->id] = i;
	for (int i = 0; !error && i < g.n; i++) {
		g.ranks[i] = place[g.ranks[i]];
		if (g.ranks[i] < 0)
			error = ampi_win_raise(w, MPI_ERR_GROUP, fn, "member %d of group is not in the window", i);
	}
	vr_rank_free(vr_current, place);
	*n = g.n;
	*out = g.ranks;
	if (error)
		ampi_members_close(&g);
	return error;
}

/* ---- the target ---- */

static void put_post(struct ampi_win_member *origin, struct ampi_post *p)
{
	struct vr_context *wake = NULL;
	ampi_spin_lock(&origin->busy);
	p->next = NULL;
	*(origin->first ? &origin->last->next : &origin->first) = p;
	origin->last = p;
	if (origin->waiter && origin->wanted == p->target) {
		wake = origin->waiter;
		origin->waiter = NULL;
	}
	ampi_spin_unlock(&origin->busy);
	if (wake)
		vr_rank_wake(wake);
}

#define POST_ASSERTS (MPI_MODE_NOCHECK | MPI_MODE_NOSTORE | MPI_MODE_NOPUT)

static int check_assert(const struct ampi_win *w, int fn, int assert, int allowed)
{
	return assert & ~allowed ? ampi_win_raise(w, MPI_ERR_ASSERT, fn, "assert is 0x%x, which this call does not take", (unsigned)assert) : MPI_SUCCESS;
}

int ampi_Win_post(MPI_Group group, int assert, MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_post;
	struct ampi_win *w = ampi_win(win);
	int32_t *origins, n;
	if (!w)
		return ampi_bad_win(win, fn);
	int error = check_assert(w, fn, assert, POST_ASSERTS);
	if (error || (error = targets_of(w, fn, group, &origins, &n)))
		return error;
	if (w->exposure) {
		vr_rank_free(vr_current, origins);
		return ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "an exposure epoch is open: MPI_Win_wait ends it");
	}
	struct ampi_exposure *e = vr_rank_alloc(vr_current, sizeof *e + n * sizeof e->post[0]);
	if (e) {
		*e = (struct ampi_exposure){.n = n};
		atomic_store(&e->state, n);
		w->exposure = e;
		for (int i = 0; i < n; i++) {
			e->post[i] = (struct ampi_post){.target = w->rank, .exposure = e};
			put_post(&w->member[origins[i]], &e->post[i]);
		}
	}
	vr_rank_free(vr_current, origins);
	return e ? MPI_SUCCESS : ampi_win_no_memory(w, fn);
}

static int check_exposed(const struct ampi_win *w, int fn)
{
	return w->exposure ? MPI_SUCCESS : ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "no exposure epoch is open: MPI_Win_post opens one");
}

static void end_exposure(struct ampi_win *w)
{
	vr_rank_free(vr_current, w->exposure);
	w->exposure = NULL;
}

int ampi_Win_wait(MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_wait;
	struct ampi_win *w = ampi_win(win);
	int error;
	if (!w)
		return ampi_bad_win(win, fn);
	if ((error = check_exposed(w, fn)))
		return error;
	struct ampi_exposure *e = w->exposure;
	e->waiter = vr_context;
	if (atomic_fetch_or(&e->state, AMPI_EXPOSURE_AWAITED)) {
		vr_context->wait = (struct vr_wait){.fn = fn, .peer = VR_NOBODY, .tag = VR_WAITS_FOR_COMPLETE, .context = w->comm->context};
		vr_rank_block();
	}
	end_exposure(w);
	return MPI_SUCCESS;
}

int ampi_Win_test(MPI_Win win, int *flag)
{
	const int fn = AMPI_FN_MPI_Win_test;
	struct ampi_win *w = ampi_win(win);
	int error;
	if (!w)
		return ampi_bad_win(win, fn);
	if ((error = check_exposed(w, fn)))
		return error;
	*flag = !atomic_load(&w->exposure->state);
	if (*flag)
		end_exposure(w);
	else
		vr_rank_yield();
	return MPI_SUCCESS;
}

/* ---- the origin ---- */

static int place_in_group(const struct ampi_win *w, int target)
{
	int i = 0;
	while (w->targets[i] != target)
		i++;
	return i;
}

/* Take a target's post out of the list of this rank; NULL: it is not there. Under `busy`. */
static struct ampi_post *take_post(struct ampi_win_member *me, int target)
{
	struct ampi_post *before = NULL, *p = me->first;
	for (; p && p->target != target; p = p->next)
		before = p;
	if (!p)
		return NULL;
	*(before ? &before->next : &me->first) = p->next;
	if (me->last == p)
		me->last = before;
	return p;
}

static struct ampi_post *await(struct ampi_win *w, int fn, int target)
{
	struct ampi_win_member *me = &w->member[w->rank];
	for (;;) {
		ampi_spin_lock(&me->busy);
		struct ampi_post *p = take_post(me, target);
		me->wanted = target;
		me->waiter = p ? NULL : vr_context;
		ampi_spin_unlock(&me->busy);
		if (p)
			return p;
		vr_context->wait = (struct vr_wait){.fn = fn, .peer = target, .tag = VR_WAITS_FOR_POST, .context = w->comm->context};
		vr_rank_block();
	}
}

void ampi_post_await(struct ampi_win *w, int fn, int target)
{
	w->started[place_in_group(w, target)] = await(w, fn, target);
	w->reach[target] = AMPI_REACH_YES;
}

#define START_ASSERTS MPI_MODE_NOCHECK

/* Targets need not have posted yet: the first operation on each waits for that, or the end of the epoch. */
int ampi_Win_start(MPI_Group group, int assert, MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_start;
	struct ampi_win *w = ampi_win(win);
	int32_t *targets, n;
	int error;
	if (!w)
		return ampi_bad_win(win, fn);
	if ((error = check_assert(w, fn, assert, START_ASSERTS)) || (error = ampi_win_need_reach(w, fn)) || (error = targets_of(w, fn, group, &targets, &n)))
		return error;
	struct ampi_post **started = vr_rank_calloc(vr_current, n + 1, sizeof *started);
	if ((error = ampi_win_check_idle(w, fn)) || !started) {
		vr_rank_free(vr_current, started);
		vr_rank_free(vr_current, targets);
		return error ? error : ampi_win_no_memory(w, fn);
	}
	w->started = started;
	w->targets = targets;
	w->ntargets = n;
	for (int i = 0; i < w->ntargets; i++)
		w->reach[w->targets[i]] = AMPI_REACH_POSTED_LATER;
	w->epoch = AMPI_EPOCH_START;
	return MPI_SUCCESS;
}

/* The exposure may be gone when the last origin has said so, unless its rank sleeps. */
static void complete(struct ampi_post *p)
{
	struct ampi_exposure *e = p->exposure;
	if (atomic_fetch_sub(&e->state, 1) == (AMPI_EXPOSURE_AWAITED | 1))
		vr_rank_wake(e->waiter);
}

int ampi_Win_complete(MPI_Win win)
{
	const int fn = AMPI_FN_MPI_Win_complete;
	struct ampi_win *w = ampi_win(win);
	if (!w)
		return ampi_bad_win(win, fn);
	if (w->epoch != AMPI_EPOCH_START)
		return ampi_win_out_of_epoch(w, fn);
	for (int i = 0; i < w->ntargets; i++) {
		if (!w->started[i])
			w->started[i] = await(w, fn, w->targets[i]);
		w->reach[w->targets[i]] = AMPI_REACH_NONE;
		complete(w->started[i]);
	}
	vr_rank_free(vr_current, w->started);
	vr_rank_free(vr_current, w->targets);
	w->started = NULL;
	w->targets = NULL;
	w->ntargets = 0;
	w->epoch = AMPI_EPOCH_NONE;
	return MPI_SUCCESS;
}
