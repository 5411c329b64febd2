/* The job and its PEs: their structures in the control area before slice 0, and memory that all workers share. Who may call what is said at each
 * function, here and in the core's other headers. "Rank stack" means while vr_current is set, "PE stack" means from the PE loop. Nothing may be called from
 * other threads unless it says so. */
#ifndef VRANK_JOB_H
#define VRANK_JOB_H

#include "vrank/core/rank.h"

#define VR_POOL_CLASSES 9 /* envelopes of 128 << class bytes */
#define VR_POOL_BYTES (4ull << 30) /* address space of one PE's pool; backed as it is used */
#define VR_EAGER_MAX 16384 /* payloads up to this travel with the envelope */

/* Something for a PE itself to do: vr_pe_post. */
struct vr_work {
	struct vr_node node;
	void (*run)(struct vr_work *);
};

#define VR_STEALABLE 8 /* ranks that a PE offers to others at a time: stealable.h */

/* What a PE asks of others when it has nothing to run: steal.c. */
struct vr_steal {
	struct vr_work work;
	_Atomic int32_t pending; /* the question, until it is answered, and ranks that are to come */
	uint64_t answered_at, not_before, pause; /* time-stamp counter */
	int32_t is_first; /* nothing has come yet of the last answer */
	uint64_t stolen, steals, latency; /* ranks; times that some came, and ticks from the answer, or from taking, until the first was here */
};

/* A queue; last means nothing while it is empty. */
struct vr_moves {
	struct vr_move *first, *last;
};

struct vr_pe {
	int32_t id;
	int32_t nranks; /* that it owns now */
	/* run queue */
	struct vr_context *head, *tail;
	struct vr_context *timers; /* sorted by wake_at */
	struct vr_rank *all;
	int32_t budget; /* switches until the PE loop wants to look around */
	struct vr_moves orders, arrivals; /* ranks that Go is to send away, and to take in */
	int32_t has_stealable; /* since the last look at them */
	uint64_t stealable_until; /* `switches` at which it is the turn of the first one offered, or time to look for some */
	struct vr_env *free[VR_POOL_CLASSES];
	int32_t nfree[VR_POOL_CLASSES];
	char *pool_next, *pool_end;
	uint64_t switches, idle_ticks;
	uint64_t blocks; /* calls of vr_rank_block: somebody has to do something for each to end */
	uint64_t busy_ticks; /* in ranks; while time is accounted */
	uint64_t idle_since; /* time-stamp counter; 0 while it is not idle */
	uint64_t move_ticks, move_steps; /* spent on ranks that go or come; how often one did */
	int32_t thread; /* the kernel's number of the PE thread */
	_Atomic int32_t spins; /* its rank looks at something again and again, and computes nothing */
	int32_t is_told; /* that the job is to freeze: no rank leaves any more */
	struct vr_work freeze; /* tells it */
	uint64_t tp; /* thread pointer of the PE thread: the same in every worker */
	struct vr_timeline *timeline; /* its ring: timeline.h */

	/* Other workers push here. */
	alignas(VR_LINE) _Atomic(struct vr_rank *) wake; /* ranks with a filled inbox */
	_Atomic(struct vr_node *) inbox; /* work for the PE itself, see vr_pe_post */
	alignas(VR_LINE) _Atomic uint32_t asleep; /* futex: 1 while the PE sleeps or is about to */
	_Atomic int32_t core; /* that it was last seen on */
	_Atomic uint32_t watch; /* futex: reasons for its worker to watch what its thread does: preempt.c */
	_Atomic(struct vr_rank *) watched; /* the PE looks into this inbox unasked, so nobody need put it on the wake list */
	alignas(VR_LINE) struct vr_steal steal;
	alignas(VR_LINE) _Atomic(struct vr_rank *) stealable[VR_STEALABLE]; /* whoever exchanges one for NULL has it */
	alignas(VR_LINE) _Atomic(struct vr_env *) freed; /* pool envelopes coming home */
};

/* Libraries that ranks have opened at run time: each has one place in the slices of all ranks. */
struct vr_library_registry {
	_Atomic uint32_t lock;
	int32_t modules; /* with thread-local variables, those of the program among them */
	uint64_t used; /* bytes of layout.libraries */
	uint64_t tls_used; /* bytes below the thread pointer that have a fixed use */
	struct vr_library_entry *first;
};

/* All PEs stand still at the same time: freeze.h. */
struct vr_freeze {
	_Atomic int32_t wanted; /* somebody has asked */
	_Atomic int32_t told; /* PEs that know it; and whether one has left for good, see vr_freeze_forgo */
	_Atomic int32_t travelling; /* ranks that have left their PE and not arrived at the next one; but for those that were stolen */
	_Atomic int32_t refused; /* some rank cannot be saved */
	_Atomic int32_t still; /* whoever is not a PE keeps out, too: vr_outside_enter */
	_Atomic int32_t outside; /* who is in nevertheless */
	_Atomic uint32_t done; /* freezes, and restarts, that are over */
	_Atomic uint32_t arrived; /* PEs at barriers, since the job began; futex */
	_Atomic uint32_t migration_epoch; /* the most that a worker has seen */
	_Atomic uint32_t begun, copied; /* copies of the region that somebody has begun, and that are complete. In between nobody writes to it. */
	_Atomic int32_t halts; /* workers are to end when all stand still, instead of copying */
	_Atomic int32_t halted; /* all stand still, for good */
	int64_t at; /* vr_now() */
};

struct vr_job {
	uint64_t magic;
	int32_t pes, ranks;
	int32_t keeps; /* it can be saved: no worker is relied upon to stay, even if there is only one */
	_Atomic uint64_t registers; /* that ranks have used when they were preempted, as xsave counts them */
	_Atomic uint64_t xcomp; /* parts of the registers that ranks have asked for: xcomp.h */
	int32_t saves; /* where its ranks can have it saved: enum vr_saves */
	int32_t room; /* PEs that it can have after a restart without a loss */
	struct vr_layout layout;
	uint64_t slices; /* address of slice 0 */
	uint64_t canary, pointer_guard;
	uint64_t ticks_per_second;
	int64_t clock; /* nanoseconds that CLOCK_MONOTONIC lacks to what vr_now() is */
	struct vr_library_registry library_registry;
	struct vr_freeze freeze;
	_Atomic int32_t *fd_owner; /* by number of a descriptor: 1 + the rank that has it; fd_table.c */
	int32_t fd_first, fd_count; /* numbers that ranks have, from and below; no count where ranks cannot move */
	_Atomic int32_t fd_top; /* above all of them that have been in use */
	alignas(VR_LINE) _Atomic int32_t stop; /* the job ends: PEs leave their loops */
	_Atomic int32_t started; /* PEs whose ranks exist */
	uint64_t began_at; /* time-stamp counter: when all did */
	_Atomic int32_t live; /* ranks that have not ended */
	_Atomic uint32_t windows; /* that are open: whoever polls one may need others to run, and others may need a PE whose rank computes */
	_Atomic uint32_t next_context;
	alignas(VR_LINE) _Atomic int32_t idle; /* PEs that have nothing to do */
	_Atomic uint64_t activity; /* counts ends of idleness */
	_Atomic int32_t deadlock; /* 1 once somebody has reported it */
	_Atomic int32_t measuring; /* time is accounted to ranks: the same as vr_measure of all workers, or soon */
	alignas(VR_LINE) _Atomic uint32_t steps_asked, steps_done; /* of balancing, by AMPI_Migrate: balance.c */
	_Atomic uint32_t segment_numbers; /* the next one that nobody has (ampi/rpc); 0: none was taken */
	_Atomic(void *) world_team; /* of MPI_COMM_WORLD, made by the first rank that needs it */
	alignas(VR_LINE) _Atomic uint32_t arena_lock;
	char *arena_next, *arena_end; /* memory for objects that all workers share */
	void *arena_free[64]; /* freed blocks by the logarithm of their size */
	uint64_t arena_used; /* bytes in blocks that are not free */
	struct vr_pe pe[];
};

enum vr_saves { VR_TO_DISK = 1, VR_TO_MEMORY = 2 };

#define VR_JOB_MAGIC 0x31626f6a2d7276ull /* "vr-job1" */
#define VR_JOB_ASLEEP 0x30626f6a2d7276ull /* as it is saved: nobody may use it before it is restarted */
#define VR_ARENA_BYTES (16ull << 30) /* of address space; backed as it is used */

extern struct vr_job *vr_job;
extern struct vr_pe *vr_pe; /* this worker's */

/* The PE: may it come to rest? */
static inline int vr_freeze_is_due(void)
{
	const struct vr_freeze *f = &vr_job->freeze;
	return vr_unlikely(vr_pe->is_told) && atomic_load(&f->told) == vr_job->pes && !atomic_load(&f->travelling);
}

/* Is what this process has enough for all ranks, for ever? */
static inline int vr_job_is_alone(void)
{
	return vr_job->pes == 1 && !vr_job->keeps;
}

/* Bytes at its start that hold the job's and the PEs' structures. */
uint64_t vr_job_header(void);

/* Bytes of control area for this many PEs. Any thread. */
uint64_t vr_control_size(int pes);

/* Lay the job's structures out in zeroed memory. Done once, by the worker that is PE 0's manager side. Any thread. */
void vr_job_init(void *control, int pes, int ranks, int keeps, const struct vr_layout *layout, uint64_t slices);

static inline struct vr_rank *vr_rank_of(int32_t id)
{
	const struct vr_layout *l = &vr_job->layout;
	return (struct vr_rank *)(vr_job->slices + (uint64_t)id * l->slice_size + l->control_block + vr_colour(id));
}

/* The TLS save area of its thread-local block, which ends where the control block begins; valid while that is not loaded. */
static inline char *vr_tls_of(struct vr_rank *r)
{
	return (char *)r - vr_job->layout.tls_size;
}

/* Where the images of a rank lie that has its own: slices are aligned to pages only, images may want more. */
static inline uint64_t vr_images_of(int32_t id)
{
	const struct vr_layout *l = &vr_job->layout;
	uint64_t at = vr_job->slices + (uint64_t)id * l->slice_size + l->images;
	return (at + l->images_align - 1) & ~(l->images_align - 1);
}

static inline int vr_is_mine(const struct vr_rank *r)
{
	return atomic_load_explicit(&r->pe, memory_order_acquire) == vr_pe->id;
}

/* The PE that has the rank, or is about to. Any thread. */
static inline int32_t vr_owner(const struct vr_rank *r)
{
	return atomic_load_explicit(&r->pe, memory_order_acquire) & ~VR_IN_TRANSIT;
}

uint64_t vr_job_measure_ticks(void);

/* Memory that all workers share, zeroed; NULL when the arena is full. Any stack. */
void *vr_arena_alloc(size_t n);
void vr_arena_free(void *p, size_t n);

static inline uint64_t vr_ticks(void)
{
	return __builtin_ia32_rdtsc();
}

#endif
