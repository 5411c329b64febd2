/* Making and freeing windows (MPI 5.0 section 12.2). Members offer their memory in one round of the communicator's team; the last one there makes what
 * they share. */
#include "ampi/comm/attr.h"
#include "ampi/comm/comm_make.h"
#include "ampi/errhandler.h"
#include "ampi/window/window.h"
#include "isomalloc/heap.h"
#include "vrank/libc/preempt.h"

#include <stdlib.h>
#include <string.h>

#define PAGE 4096

/* What a member offers, in its slot, and what it gets. */
struct offer {
	char *base; /* canonical */
	int64_t size, unit;
	int32_t is_direct;
	int32_t failed; /* it has no memory for its part */
	struct ampi_team *team;
	struct ampi_win_shared *shared;
};
_Static_assert(sizeof(struct offer) <= AMPI_SLOT_INLINE, "an offer fits a slot");

static struct offer *offer_of(struct ampi_shm_coll *m, int i)
{
	return (struct offer *)ampi_shm_coll_slots(m)[i].inline_data;
}

/* What all calls that make windows are given. */
struct making {
	struct ampi_shm_coll m;
	int flavor;
	int64_t align; /* of memory that the call allocates */
	int apart; /* parts of a shared window need not follow each other */
	struct offer offer;
	struct ampi_win *win;
};

/* ---- the last leader ---- */

static int64_t round_up(int64_t n, int64_t to)
{
	return (n + to - 1) & -to;
}

/* Memory for all parts of a shared window. 0, or -1. */
static int share_memory(struct making *k, struct ampi_win_shared *s)
{
	int64_t all = k->align;
	for (int i = 0; i < k->m.size; i++)
		all += k->apart ? round_up(offer_of(&k->m, i)->size, k->align) : offer_of(&k->m, i)->size;
	s->memory_bytes = all;
	s->memory = vr_arena_alloc(all);
	char *at = (char *)round_up((int64_t)s->memory, k->align);
	for (int i = 0; i < k->m.size && s->memory; i++) {
		struct offer *o = offer_of(&k->m, i);
		o->base = at;
		o->is_direct = 1;
		at += k->apart ? round_up(o->size, k->align) : o->size;
	}
	return s->memory ? 0 : -1;
}

static void release_shared(struct ampi_win_shared *s)
{
	if (s->memory)
		vr_arena_free(s->memory, s->memory_bytes);
	vr_arena_free(s, s->bytes);
	vr_preempt_window_closes();
}

static struct ampi_win_shared *make_shared(struct making *k)
{
	size_t bytes = sizeof(struct ampi_win_shared) + (size_t)k->m.size * sizeof(struct ampi_win_member);
	struct ampi_win_shared *s = vr_arena_alloc(bytes);
	if (!s)
		return NULL;
	vr_preempt_window_opens();
	s->bytes = bytes;
	atomic_store(&s->refs, k->m.size);
	if (k->flavor == MPI_WIN_FLAVOR_SHARED && share_memory(k, s)) {
		release_shared(s);
		return NULL;
	}
	for (int i = 0; i < k->m.size; i++) {
		const struct offer *o = offer_of(&k->m, i);
		s->member[i].part = (struct ampi_win_part){o->base, o->size, o->is_direct};
		s->member[i].unit = o->unit;
		s->member[i].rank = vr_rank_of(ampi_to_world(k->m.comm, i));
	}
	return s;
}

static struct ampi_team *make_team(struct making *k)
{
	int32_t *world = vr_rank_alloc(vr_current, k->m.size * sizeof *world);
	for (int i = 0; world && i < k->m.size; i++)
		world[i] = ampi_to_world(k->m.comm, i);
	struct ampi_team *t = world ? ampi_team_make(world, k->m.size, ampi_context_new()) : NULL;
	vr_rank_free(vr_current, world);
	return t;
}

static void make(struct making *k)
{
	int failed = 0;
	for (int i = 0; i < k->m.size; i++)
		failed |= offer_of(&k->m, i)->failed;
	struct ampi_team *team = failed ? NULL : make_team(k);
	struct ampi_win_shared *shared = team ? make_shared(k) : NULL;
	if (!shared)
		ampi_shm_coll_fail(&k->m, MPI_ERR_NO_MEM);
	for (int i = 0; i < k->m.size; i++) {
		offer_of(&k->m, i)->team = team;
		offer_of(&k->m, i)->shared = shared;
	}
}

/* ---- each member ---- */

static int open(struct making *k, int fn, MPI_Comm comm, MPI_Aint size, MPI_Aint unit)
{
	int error = ampi_shm_coll_open(&k->m, fn, comm);
	if (error)
		return error;
	if (size < 0)
		return ampi_raise(k->m.comm, MPI_ERR_SIZE, fn, "size is %lld", (long long)size);
	if (unit <= 0)
		return ampi_raise(k->m.comm, MPI_ERR_DISP, fn, "disp_unit is %lld", (long long)unit);
	k->offer = (struct offer){.size = size, .unit = unit, .is_direct = 1};
	return MPI_SUCCESS;
}

/* Meet. 0, or what was raised: then there is nothing of the window. */
static int meet(struct making *k)
{
	ampi_shm_coll_begin(&k->m, AMPI_COLL_WINDOW, k->flavor, 0);
	*offer_of(&k->m, k->m.rank) = k->offer;
	if (ampi_shm_coll_arrive(&k->m)) {
		if (ampi_shm_coll_leaders(&k->m)) {
			if (!ampi_shm_coll_failed(&k->m))
				make(k);
			ampi_shm_coll_release_leaders(&k->m);
		}
		ampi_shm_coll_release(&k->m);
	}
	k->offer = *offer_of(&k->m, k->m.rank);
	return ampi_shm_coll_end(&k->m);
}

static void set_attributes(struct ampi_win *w)
{
	const struct ampi_win_member *me = &w->member[w->rank];
	w->size_attr = me->part.size;
	w->unit_attr = (int32_t)me->unit;
	w->flavor_attr = w->flavor;
	w->model_attr = MPI_WIN_UNIFIED;
}

/* The window's own communicator says nothing to the program. */
static struct ampi_comm *own_comm(struct making *k)
{
	const struct ampi_place place = {.rank = k->m.rank, .team = k->offer.team};
	struct ampi_comm *c = ampi_comm_new(k->m.comm, &place);
	if (c) {
		ampi_errhandler_release(c->errhandler);
		c->errhandler = (uint64_t)MPI_ERRORS_RETURN;
	}
	return c;
}

/* Slices are alike, so the objects of all ranks are moved apart by their colours, as control blocks are. */
static struct ampi_win *win_alloc(void)
{
	char *room = vr_rank_calloc(vr_current, 1, sizeof(struct ampi_win) + (VR_COLOURS + 1) * VR_LINE);
	if (!room)
		return NULL;
	struct ampi_win *w = (struct ampi_win *)(round_up((int64_t)room, VR_LINE) + vr_colour(vr_current->id));
	w->room = room;
	return w;
}

static void win_free(struct ampi_win *w)
{
	if (w)
		vr_rank_free(vr_current, w->room);
}

/* This member's object. 0, or what was raised. */
static int enter(struct making *k, void *allocated)
{
	struct ampi_win *w = k->win = win_alloc();
	struct ampi_comm *comm = w ? own_comm(k) : NULL;
	uint64_t handle = comm ? ampi_enter(vr_current, &ampi_me()->wins, AMPI_WIN, w) : 0;
	if (!handle) {
		if (comm)
			ampi_comm_close(comm);
		win_free(w);
		return ampi_no_memory(k->m.comm, k->m.fn);
	}
	w->member = k->offer.shared->member;
	w->shared = k->offer.shared;
	w->rank = k->m.rank;
	w->size = k->m.size;
	w->flavor = k->flavor;
	w->handle = handle;
	w->comm = comm;
	w->team = comm->team;
	w->allocated = allocated;
	w->errhandler = (uint64_t)MPI_ERRORS_ARE_FATAL;
	set_attributes(w);
	return MPI_SUCCESS;
}

static int finish(struct making *k, MPI_Info info, void *allocated, MPI_Win *win)
{
	int error = meet(k);
	if (error || (error = enter(k, allocated)))
		return error;
	vr_preempt_setup();
	*win = (MPI_Win)(uint64_t)k->win->handle;
	return ampi_win_hints_take(k->win, k->m.fn, info);
}

int ampi_win_is_direct(const void *base, int64_t size)
{
	return !size || vr_is_shared(vr_current, base, size);
}

static int create(int fn, void *base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	struct making k = {.flavor = MPI_WIN_FLAVOR_CREATE};
	int error = open(&k, fn, comm, size, unit);
	if (error)
		return error;
	if (size && !base)
		return ampi_raise(k.m.comm, MPI_ERR_ARG, fn, "base is a null pointer, with a size of %lld", (long long)size);
	if (size && !vr_access_holds(base, size))
		return ampi_raise(k.m.comm, MPI_ERR_ARG, fn, "the %lld bytes at %p are not all memory of the rank", (long long)size, base);
	k.offer.base = vr_canonical(vr_current, base);
	k.offer.is_direct = ampi_win_is_direct(base, size);
	return finish(&k, info, NULL, win);
}

/* What the hints say of memory that is to be allocated. */
static int allocation(struct making *k, MPI_Info info)
{
	char value[32];
	k->align = k->flavor == MPI_WIN_FLAVOR_SHARED ? PAGE : VR_LINE;
	k->apart = ampi_info_value(info, "alloc_shared_noncontig", value, sizeof value) && !strcmp(value, "true");
	if (!ampi_info_value(info, "mpi_minimum_memory_alignment", value, sizeof value))
		return MPI_SUCCESS;
	char *end;
	unsigned long long n = strtoull(value, &end, 10);
	if (end == value || *end || !n || (n & (n - 1)) || n > 1u << 30)
		return ampi_raise(k->m.comm, MPI_ERR_INFO_VALUE, k->m.fn, "mpi_minimum_memory_alignment is \"%s\", not a power of two", value);
	if ((int64_t)n > k->align)
		k->align = (int64_t)n;
	return MPI_SUCCESS;
}

/* While a rank has such memory, others may load from it and store to it. */
static void free_allocated(void *memory)
{
	vr_rank_free(vr_current, memory);
	atomic_fetch_sub(&vr_current->exposed, 1);
}

static int allocate(int fn, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	struct making k = {.flavor = MPI_WIN_FLAVOR_ALLOCATE};
	int error;
	if ((error = open(&k, fn, comm, size, unit)) || (error = allocation(&k, info)))
		return error;
	char *memory = iso_heap_memalign(vr_current->heap, k.align, size ? size : 1);
	k.offer.base = memory;
	k.offer.failed = !memory;
	atomic_fetch_add(&vr_current->exposed, 1);
	error = finish(&k, info, memory, win);
	if (error && !k.win)
		free_allocated(memory);
	else
		*(void **)baseptr = memory;
	return error;
}

static int allocate_shared(int fn, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	struct making k = {.flavor = MPI_WIN_FLAVOR_SHARED};
	int error;
	if ((error = open(&k, fn, comm, size, unit)) || (error = allocation(&k, info)) || (error = finish(&k, info, NULL, win)))
		return error;
	*(void **)baseptr = k.win->member[k.win->rank].part.base;
	return MPI_SUCCESS;
}

/* ---- the calls ---- */

int ampi_Win_create(void *base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	return create(AMPI_FN_MPI_Win_create, base, size, unit, info, comm, win);
}

int ampi_Win_create_c(void *base, MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	return create(AMPI_FN_MPI_Win_create_c, base, size, unit, info, comm, win);
}

int ampi_Win_create_dynamic(MPI_Info info, MPI_Comm comm, MPI_Win *win)
{
	struct making k = {.flavor = MPI_WIN_FLAVOR_DYNAMIC};
	int error = open(&k, AMPI_FN_MPI_Win_create_dynamic, comm, 0, 1);
	return error ? error : finish(&k, info, NULL, win);
}

int ampi_Win_allocate(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	return allocate(AMPI_FN_MPI_Win_allocate, size, unit, info, comm, baseptr, win);
}

int ampi_Win_allocate_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	return allocate(AMPI_FN_MPI_Win_allocate_c, size, unit, info, comm, baseptr, win);
}

int ampi_Win_allocate_shared(MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	return allocate_shared(AMPI_FN_MPI_Win_allocate_shared, size, unit, info, comm, baseptr, win);
}

int ampi_Win_allocate_shared_c(MPI_Aint size, MPI_Aint unit, MPI_Info info, MPI_Comm comm, void *baseptr, MPI_Win *win)
{
	return allocate_shared(AMPI_FN_MPI_Win_allocate_shared_c, size, unit, info, comm, baseptr, win);
}

/* ---- the end ---- */

static int check_free(const struct ampi_win *w, int fn)
{
	if (w->exposure)
		return ampi_win_raise(w, MPI_ERR_RMA_SYNC, fn, "an exposure epoch is open: MPI_Win_wait ends it");
	return ampi_win_check_idle(w, fn);
}

static void discard(struct ampi_win *w)
{
	struct ampi_win_shared *s = w->shared;
	vr_rank_free(vr_current, w->member[w->rank].parts);
	if (atomic_fetch_sub(&s->refs, 1) == 1)
		release_shared(s);
	if (w->allocated)
		free_allocated(w->allocated);
	vr_rank_free(vr_current, w->reach);
	if (w->info)
		ampi_serve(AMPI_FN_MPI_Info_free, (uint64_t[]){(uint64_t)&w->info}, 1);
	ampi_errhandler_release(w->errhandler);
	ampi_me()->recent_win = 0;
	ampi_remove(&ampi_me()->wins, w->handle);
	ampi_comm_close(w->comm);
	win_free(w);
}

/* Nobody has done with a window before all are here: others may still put into it. */
int ampi_Win_free(MPI_Win *win)
{
	const int fn = AMPI_FN_MPI_Win_free;
	struct ampi_win *w = ampi_win(*win);
	int error;
	if (!w)
		return ampi_bad_win(*win, fn);
	if ((error = check_free(w, fn)))
		return error;
	if ((error = ampi_attr_delete_all(&w->attrs, w->handle)))
		return ampi_win_raise(w, error, fn, "a delete function of an attribute returned error %d", error);
	if ((error = ampi_win_barrier(w, fn)))
		return error;
	discard(w);
	*win = MPI_WIN_NULL;
	return MPI_SUCCESS;
}

struct ampi_win *ampi_win_find(MPI_Win win)
{
	struct ampi_rank *me = ampi_me();
	struct ampi_win *w = ampi_running() ? ampi_lookup(&me->wins, AMPI_WIN, (uint64_t)win) : NULL;
	if (w) {
		me->recent_win = w->handle;
		me->recent = w;
	}
	return w;
}

/* ---- what epochs need ---- */

int ampi_win_need_reach(struct ampi_win *w, int fn)
{
	if (!w->reach)
		w->reach = vr_rank_calloc(vr_current, w->size, 1);
	return w->reach ? MPI_SUCCESS : ampi_win_no_memory(w, fn);
}

int ampi_win_barrier(const struct ampi_win *w, int fn)
{
	struct ampi_shm_coll m = {.comm = w->comm, .team = w->team, .rank = w->rank, .size = w->size, .fn = fn};
	ampi_shm_coll_begin(&m, fn == AMPI_FN_MPI_Win_free ? AMPI_COLL_WINDOW_FREE : AMPI_COLL_FENCE, -1, 0);
	ampi_shm_coll_join(&m);
	int error = ampi_shm_coll_end(&m);
	if (vr_likely(!error))
		return MPI_SUCCESS;
	const char *text = strchr(ampi_me()->told, ' ');
	return ampi_win_raise(w, error, fn, "%s", text ? text + 1 : ampi_me()->told);
}
