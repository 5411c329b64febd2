/* Windows (MPI 5.0 chapter 12). All slices are mapped at the same addresses in all workers, so what an origin does to a target it does itself, on its
 * own stack: a put is a copy, an accumulate a kernel under a lock of the target's. Nothing waits at the target. Memory that only the target's worker
 * has is the exception: window_remote.c.
 *
 * A window is a struct ampi_win in the slice of each member, and in the arena a struct ampi_win_member for each, which all members see.
 *
 * Everything here is called on a rank's stack. */
#ifndef AMPI_WINDOW_H
#define AMPI_WINDOW_H

#include "ampi/coll/coll.h"
#include "ampi/window/fair_lock.h"

struct ampi_exposure; /* exposure.h */
struct ampi_post;
struct ampi_attr;

/* Memory of a member that others reach: of the whole window, or a part that was attached to a dynamic one. */
struct ampi_win_part {
	char *base; /* canonical: vr_canonical */
	int64_t size; /* bytes */
	int32_t is_direct; /* every worker has it at this address; else the target's worker alone */
};

/* What origins need of a target. */
struct ampi_win_member {
	alignas(VR_LINE) struct ampi_win_part part; /* nothing in a dynamic window */
	int64_t unit; /* bytes of a displacement of 1 */
	struct vr_rank *rank;
	/* attached parts of a dynamic window: changed by the member, looked at by origins, under `busy` */
	int32_t nparts, room;
	struct ampi_win_part *parts; /* ascending, in the member's slice */

	alignas(VR_LINE) _Atomic uint32_t busy; /* somebody accumulates, or touches what is below */
	int32_t wanted; /* whose post the member waits for */
	struct vr_context *waiter;
	struct ampi_post *first, *last; /* posts for this member that it has not taken */

	alignas(VR_LINE) struct ampi_fair_lock lock; /* of MPI_Win_lock */
};

/* All of a window that its members share, in the arena. */
struct ampi_win_shared {
	_Atomic int32_t refs; /* members that have not freed it */
	size_t bytes; /* of this block */
	char *memory; /* of a shared window, in the arena; or NULL */
	size_t memory_bytes;
	struct ampi_fair_lock everywhere; /* MPI_Win_lock_all shares it, exclusive locks of single targets share it in the other mode */
	struct ampi_win_member member[];
};

/* What kind of access epoch a member is in. In the last two it reaches all targets. */
enum ampi_epoch {
	AMPI_EPOCH_NONE,
	AMPI_EPOCH_START,
	AMPI_EPOCH_LOCK,
	AMPI_EPOCH_FENCE, /* a fence may have begun one: it has when there is an operation */
	AMPI_EPOCH_LOCK_ALL,
};

/* How a member may reach a target: ampi_win.reach. */
enum ampi_reach {
	AMPI_REACH_NONE,
	AMPI_REACH_YES,
	AMPI_REACH_POSTED_LATER, /* in the group of MPI_Win_start; its post has not been seen */
	AMPI_REACH_SHARED, AMPI_REACH_EXCLUSIVE, AMPI_REACH_UNLOCKED, /* by MPI_Win_lock; the last with MPI_MODE_NOCHECK */
};

struct ampi_win {
	alignas(VR_LINE) struct ampi_win_member *member;
	int32_t rank, size;
	int32_t epoch; /* enum ampi_epoch */
	int32_t is_used; /* there was an operation since the last fence */
	uint8_t *reach; /* by target, enum ampi_reach; NULL until a group or a single lock is needed */
	int32_t locks, exclusive; /* held of single targets */
	int32_t flavor;
	int32_t nocheck; /* MPI_Win_lock_all with MPI_MODE_NOCHECK */
	uint32_t handle;
	struct ampi_team *team; /* of comm */

	struct ampi_win_shared *shared;
	struct ampi_comm *comm; /* of its own, with the same group */
	void *room; /* what holds this structure */
	struct ampi_post **started; /* by place in the group of MPI_Win_start */
	int32_t *targets, ntargets; /* that group */
	struct ampi_exposure *exposure; /* of MPI_Win_post; or NULL */
	void *allocated; /* memory of MPI_Win_allocate; or NULL */
	uint64_t errhandler, info; /* handles, as a communicator's */
	struct ampi_attr *attrs;
	/* values of attributes, of which programs get the addresses */
	MPI_Aint size_attr;
	int32_t unit_attr, flavor_attr, model_attr;
	char name[MPI_MAX_OBJECT_NAME];
};

struct ampi_win *ampi_win_find(MPI_Win win);

/* NULL: not a live window, or MPI is not running: ampi_bad_win says which. Programs use one window many times, and the table's lines of all ranks fall
 * into the same sets of the cache. */
static inline struct ampi_win *ampi_win(MPI_Win win)
{
	const struct ampi_rank *me = ampi_me();
	if (vr_likely((uint64_t)win == me->recent_win && vr_current->mpi_state == VR_MPI_RUNNING))
		return me->recent;
	return ampi_win_find(win);
}

/* ---- errors: window_error.c ---- */

int ampi_bad_win(MPI_Win win, int fn);

/* Raise an error class at the window's handler; returns it if that returns. */
int ampi_win_raise(const struct ampi_win *w, int klass, int fn, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

int ampi_win_no_memory(const struct ampi_win *w, int fn);

/* 0, or what was raised: `rank` is no member. */
int ampi_win_check_rank(const struct ampi_win *w, int fn, const char *name, int rank);

/* Raise MPI_ERR_RMA_SYNC: this is not the time for the call. */
int ampi_win_out_of_epoch(const struct ampi_win *w, int fn);

/* Is memory of the rank that runs at this address in all workers? */
int ampi_win_is_direct(const void *base, int64_t size);

/* Give a window the hints of info, which may be MPI_INFO_NULL. 0, or what was raised. */
int ampi_win_hints_take(struct ampi_win *w, int fn, MPI_Info info);

/* ---- epochs ---- */

/* 0, or what was raised: an access epoch is open, which this call must not meet. */
int ampi_win_check_idle(const struct ampi_win *w, int fn);

/* Room for w->reach. 0, or what was raised. */
int ampi_win_need_reach(struct ampi_win *w, int fn);

/* All members meet. 0, or what was raised. Switches. */
int ampi_win_barrier(const struct ampi_win *w, int fn);

/* Ranks that poll a window in a loop of calls leave the PE to others now and then. May switch. */
static inline void ampi_win_polled(void)
{
	static uint32_t polls; /* of this worker */
	if (vr_unlikely(!(++polls & 31)))
		vr_rank_yield();
}

#endif
