/* Collective calls in shared memory: what the coll*.c, reduce*.c and comm_make.c files share.
 *
 * A collective call is one or two rounds of a team. In a round every member says what it has to offer and sleeps, except the
 * last of its PE to arrive, the leader. Leaders wait for each other; the last of them finds everybody else asleep. Then
 * leaders wake their own PE's members, and each member takes what it came for, on its own stack. Small data is copied to
 * the team's staging on arrival, so that one round is enough; larger data is offered by address, and a second round keeps it
 * in place until all have read it.
 *
 * Everything here is called on a rank's stack. */
#ifndef AMPI_COLL_H
#define AMPI_COLL_H

#include "ampi/ampi.h"

/* What a call must have in common with the calls of the other members: a difference is an error of the program. */
struct ampi_key {
	int32_t kind; /* enum ampi_coll; of a reduction with a predefined operation also that, from bit AMPI_KEY_OP on */
	int32_t root; /* -1 when there is none */
	int64_t bytes; /* of one contribution, where all must be the same; else 0 */
};

#define AMPI_KEY_OP 8

enum ampi_coll {
	AMPI_COLL_END = 1, /* second round of a call */
	AMPI_COLL_BARRIER, AMPI_COLL_BCAST, AMPI_COLL_GATHER, AMPI_COLL_SCATTER, AMPI_COLL_ALLGATHER, AMPI_COLL_ALLGATHERV,
	AMPI_COLL_ALLTOALL, AMPI_COLL_ALLTOALLV, AMPI_COLL_REDUCE, AMPI_COLL_ALLREDUCE, AMPI_COLL_REDUCE_SCATTER, AMPI_COLL_SCAN,
	AMPI_COLL_EXSCAN, AMPI_COLL_SPLIT, AMPI_COLL_FINALIZE, AMPI_COLL_MERGE, AMPI_COLL_INTERCOMM, AMPI_COLL_DIST_GRAPH,
	AMPI_COLL_WINDOW, AMPI_COLL_FENCE, AMPI_COLL_WINDOW_FREE,
};

/* Contiguous bytes that another member may read. */
struct ampi_block {
	const char *data;
	int64_t bytes;
};

#define AMPI_SLOT_INLINE 48

/* A member's place on the staging. */
struct ampi_slot {
	struct ampi_block block;
	char inline_data[AMPI_SLOT_INLINE];
};
_Static_assert(sizeof(struct ampi_slot) == VR_LINE, "a slot is a cache line");

/* What members tell each other in one round. Two of them take turns: a slow reader may still look at the last one
 * when a fast one has arrived at the next. */
struct ampi_round {
	alignas(VR_LINE) struct ampi_block block; /* the root's data, or the result of a reduction */
	void *accumulator; /* the root's receive buffer when a reduction can use it */
	_Atomic int32_t hold; /* somebody's memory is read: a second round follows */
	_Atomic int32_t error; /* class of an error that concerns all members */
	_Atomic int32_t odd; /* 1 + a member whose key differs from the first one's of its PE */
	int32_t first; /* the member that it differs from */
	struct ampi_key first_key, odd_key;
};

/* Members that were on one PE when they were put into parts. Touched by that PE only, except where said; a member that is elsewhere by now has it
 * do things: coll_migrated.c. */
struct ampi_part {
	alignas(VR_LINE) int32_t pe;
	int32_t n; /* how many */
	const int32_t *members; /* their ranks, ascending */
	int32_t arrived;
	uint32_t rounds; /* that are over */
	struct vr_context *leader;
	struct vr_waitlist resting; /* members that sleep in this round, without the leader */
	int32_t first; /* who arrived first, and its key: read by the last leader */
	struct ampi_key key;
	alignas(VR_LINE) struct vr_work wake; /* tells the leader that the other PEs have arrived */
};

/* All parts. It does not change while it is in use. */
struct ampi_grouping {
	int32_t nparts;
	int32_t *members; /* ranks grouped by part */
	int16_t *part_of; /* by rank */
	struct ampi_part *part;
};

/* One per communicator, in the job's arena, shared by all members. */
struct ampi_team {
	int32_t size;
	int32_t room; /* PEs that can have a part */
	uint32_t context;
	_Atomic int32_t refs; /* members that have not freed their communicator; of both groups of an intercommunicator */
	_Atomic(void *) crossing; /* who of the two groups waits for the other: intercomm.c; used in the team of one of them */
	const int32_t *world; /* NULL: ranks are those of MPI_COMM_WORLD */
	size_t bytes; /* of this block, with all its arrays */
	int64_t half; /* bytes of half a staging */
	_Atomic(char *) staging; /* made when it is first needed */
	_Atomic(char *) matrix; /* for alltoall */
	alignas(VR_LINE) _Atomic int32_t arrived; /* members on PEs whose leader has arrived */
	struct ampi_round round[2];
	/* Members that have moved make parts out of date. The last leader of a round, when all members are in it, makes new ones in the other place: calls
	 * under way keep to those with which they began. */
	_Atomic(struct ampi_grouping *) now; /* that new rounds use */
	_Atomic int32_t stale; /* a member was not where its part is */
	struct ampi_grouping grouping[2];
};

/* A team of n members with these ranks in MPI_COMM_WORLD (NULL: 0 to n-1); NULL when the arena is full. */
struct ampi_team *ampi_team_make(const int32_t *world, int32_t n, uint32_t context);

/* Teams of the two groups of an intercommunicator, which every member of either uses. 0, or -1 when the arena is full. */
int ampi_team_make_pair(const int32_t *const world[2], const int32_t n[2], uint32_t context, struct ampi_team *out[2]);

/* One member has done with the team; the last one frees it. */
void ampi_team_release(struct ampi_team *t);

/* The teams of the predefined communicators. World's is made once per job. */
struct ampi_team *ampi_team_world(void);
struct ampi_team *ampi_team_self(void);

/* Put the members into parts by the PE that has each now, for the rounds after this one, in which all members are. */
void ampi_team_regroup(struct ampi_team *t);

static inline struct ampi_grouping *ampi_team_grouping(struct ampi_team *t)
{
	return atomic_load_explicit(&t->now, memory_order_acquire);
}

/* ---- one call's view: coll_shm.c ---- */

/* Whose call it is: all that the checks of arguments need to know. The same names in what has one. */
#define AMPI_CALLER                                                                                                                \
	struct ampi_comm *comm;                                                                                                       \
	int32_t rank, size;                                                                                                           \
	int fn
struct ampi_caller {
	AMPI_CALLER;
};

struct ampi_shm_coll {
	union {
		struct ampi_caller caller;
		struct {
			AMPI_CALLER;
		};
	};
	struct ampi_team *team;
	struct ampi_grouping *grouping;
	struct ampi_part *part;
	struct ampi_round *round;
	struct ampi_key key;
	int parity; /* which round, and which half of the staging */
	int error; /* class found for this member alone, raised at the end */
	int64_t had, wanted; /* bytes, when that is MPI_ERR_TRUNCATE or MPI_ERR_COUNT */
	int32_t from; /* whose data that was, -1 when the root's */
	void *copy[2]; /* memory of the slice to free at the end */
	int leads; /* what the PE of its part says to a member that is elsewhere */
};

/* Check the communicator and fill m. 0, or the class that was raised. */
int ampi_shm_coll_open(struct ampi_shm_coll *m, int fn, MPI_Comm comm);

/* The same for a call that schedules serve on intercommunicators: then it is AMPI_ACROSS. */
int ampi_shm_coll_open_either(struct ampi_shm_coll *m, int fn, MPI_Comm comm);
#define AMPI_ACROSS (-1)

/* One round of all members of comm, in call fn. Switches. */
int ampi_barrier(int fn, enum ampi_coll kind, MPI_Comm comm);

/* Enter the call's first round: the key is set, it and the staging may be written from here on. */
void ampi_shm_coll_begin(struct ampi_shm_coll *m, int32_t kind, int root, int64_t bytes);

/* Sleep until the round is over and return 0; at once 1 in the last member of this PE: the leader. Switches. */
int ampi_shm_coll_arrive(struct ampi_shm_coll *m);

/* Leader. 1 in the last leader, while the others sleep; the others return 0 when they are released. Switches. */
int ampi_shm_coll_leaders(struct ampi_shm_coll *m);
void ampi_shm_coll_release_leaders(struct ampi_shm_coll *m);

/* Leader. The round is over for this PE: wake its members. */
void ampi_shm_coll_release(struct ampi_shm_coll *m);

/* Arrive, and when nothing is to be done in the middle: the whole round. Switches. */
void ampi_shm_coll_join(struct ampi_shm_coll *m);

/* Something went wrong that concerns all: read nothing that others offered. Good from ampi_shm_coll_leaders on. */
static inline int ampi_shm_coll_failed(const struct ampi_shm_coll *m)
{
	return vr_unlikely(atomic_load_explicit(&m->round->error, memory_order_relaxed) ||
			   atomic_load_explicit(&m->round->odd, memory_order_relaxed));
}

static inline void ampi_shm_coll_fail(struct ampi_shm_coll *m, int klass)
{
	atomic_store_explicit(&m->round->error, klass, memory_order_relaxed);
}

static inline void ampi_shm_coll_hold(struct ampi_shm_coll *m)
{
	atomic_store_explicit(&m->round->hold, 1, memory_order_relaxed);
}

/* End the call: hold the second round if there is one, free copies, raise what went wrong. Returns the class. Switches. */
int ampi_shm_coll_end(struct ampi_shm_coll *m);

/* ---- members that are not where their part is: coll_migrated.c ---- */

static inline int ampi_shm_coll_is_migrated(const struct ampi_shm_coll *m)
{
	return vr_unlikely(m->part->pe != vr_pe->id) && m->size > 1;
}

/* What the PE of the part does when a member arrives; 1 when it is the last one. */
int ampi_part_arrive(struct ampi_shm_coll *m, struct vr_context *context);

/* What the PE of the part does when the round is over. */
void ampi_part_release(struct ampi_part *p);

/* The member's side: ampi_shm_coll_arrive and ampi_shm_coll_release. */
int ampi_migrated_arrive(struct ampi_shm_coll *m);
void ampi_migrated_release(struct ampi_shm_coll *m);

/* Sleep in this round. */
void ampi_shm_coll_rest(struct ampi_shm_coll *m);

/* This round's half of the staging, m->team->half bytes; its slots, one per member, lie in the same place. */
char *ampi_shm_staging(struct ampi_shm_coll *m);

static inline struct ampi_slot *ampi_shm_coll_slots(struct ampi_shm_coll *m)
{
	return (struct ampi_slot *)ampi_shm_staging(m);
}

/* This round's half of the alltoall matrix and how many bytes it has. */
char *ampi_shm_coll_matrix(struct ampi_shm_coll *m);
int64_t ampi_matrix_half(const struct ampi_team *t);

/* Can all members read [p, p+n) of this rank's memory in place? */
static inline int ampi_shm_coll_reaches(const struct ampi_shm_coll *m, const void *p, int64_t n)
{
	return vr_others_can_read(vr_current, p, n);
}

/* ---- data: coll_data.c ---- */

/* A buffer with one block per member. */
struct ampi_layout {
	char *base;
	const struct vr_type *type; /* of all blocks, unless types is set */
	const MPI_Datatype *types;
	int64_t count; /* of all blocks, unless counts is set */
	const void *counts, *displs; /* displs: in extents of type; in bytes with types */
	int wide; /* counts are MPI_Count, displs MPI_Aint; else int */
};

static inline int64_t ampi_layout_count(const struct ampi_layout *l, int i)
{
	if (!l->counts)
		return l->count;
	return l->wide ? ((const MPI_Count *)l->counts)[i] : ((const int *)l->counts)[i];
}

static inline const struct vr_type *ampi_layout_type(const struct ampi_layout *l, int i)
{
	return l->types ? ampi_type(l->types[i]) : l->type;
}

static inline char *ampi_layout_at(const struct ampi_layout *l, int i)
{
	if (!l->displs)
		return l->base + i * l->count * l->type->extent;
	int64_t d = l->wide ? ((const MPI_Aint *)l->displs)[i] : ((const int *)l->displs)[i];
	return l->base + (l->types ? d : d * l->type->extent);
}

/* Count elements of type at buf as contiguous bytes that all members can read: in place, or in a copy that lives to the end of the
 * call (slot `which` of m->copy). NULL when there is no memory: the call then fails for all. */
const char *ampi_expose(struct ampi_shm_coll *m, int which, const void *buf, int64_t count, const struct vr_type *type);

/* The same for all blocks of a layout; blocks[i] is `stride` bytes after blocks[i-1]. always: copy in any case. 0, or -1. */
int ampi_expose_layout(struct ampi_shm_coll *m, const struct ampi_layout *l, struct ampi_block *blocks, size_t stride, int always);

/* Offer one block in this member's slot. */
void ampi_offer(struct ampi_shm_coll *m, const void *buf, int64_t count, const struct vr_type *type);

/* Copy count elements of type at buf to contiguous memory. */
void ampi_pack(void *to, const void *buf, int64_t count, const struct vr_type *type);

/* Put bytes that member `from` (-1: the root) offered into this rank's buffer; too many are an error of this member. */
void ampi_deliver(struct ampi_shm_coll *m, void *buf, int64_t count, const struct vr_type *type, const struct ampi_block *b, int from);
/* The same; too few are an error as well. */
void ampi_deliver_all(struct ampi_shm_coll *m, void *buf, int64_t count, const struct vr_type *type, const struct ampi_block *b, int from);
void ampi_deliver_at(struct ampi_shm_coll *m, const struct ampi_layout *l, int i, const struct ampi_block *b);

/* Copy count elements of type between two places that have them laid out in the same way; bytes in gaps stay. */
void ampi_copy_elements(void *to, const void *from, int64_t count, const struct vr_type *type);

/* ---- arguments: coll_args.c. Each returns 0, or the class that it raised ---- */

int ampi_check_root(struct ampi_caller *c, int root);
int ampi_check_count(struct ampi_caller *c, const char *name, int64_t count);
int ampi_check_type(struct ampi_caller *c, const char *name, MPI_Datatype handle, const struct vr_type **out);

/* Names of a buffer's arguments, for messages. */
struct ampi_names {
	const char *buf, *count, *type;
};
extern const struct ampi_names ampi_send_names, ampi_recv_names, ampi_one_names;

int ampi_check_data(struct ampi_caller *c, const struct ampi_names *n, const void *buf, int64_t count, MPI_Datatype handle,
		    const struct vr_type **out);
int ampi_check_layout(struct ampi_caller *c, const struct ampi_names *n, struct ampi_layout *l, MPI_Datatype handle);
/* The same for a layout with so many blocks, not one for each peer. */
int ampi_check_blocks(struct ampi_caller *c, const struct ampi_names *n, struct ampi_layout *l, MPI_Datatype handle, int blocks);
int ampi_check_alias(struct ampi_caller *c, const void *send, int64_t send_count, const void *recv, int64_t recv_count);
int ampi_no_in_place(struct ampi_caller *c, const char *name, const char *who);

/* ---- what calls move: coll_check.c ---- */

/* The two sides of a call that moves data. A buffer that is one block has no counts. */
struct ampi_exchange {
	struct ampi_layout send, recv; /* broadcasts: recv is the buffer */
	MPI_Datatype send_handle, recv_handle;
	int root;
	int many; /* the call is one whose blocks may differ in size, which only the root knows */
	int in_place; /* found by the check: this member's part of the data is where the result goes */
};

/* What a member does in a call with a root. */
enum ampi_role {
	AMPI_MEMBER,
	AMPI_ROOT,
	AMPI_ASIDE, /* MPI_PROC_NULL: in the group of the root of an intercommunicator, but not the root */
};

static inline enum ampi_role ampi_role(const struct ampi_caller *c, int root)
{
	if (vr_likely(!c->comm->is_inter))
		return root == c->rank ? AMPI_ROOT : AMPI_MEMBER;
	return root == MPI_ROOT ? AMPI_ROOT : root == MPI_PROC_NULL ? AMPI_ASIDE : AMPI_MEMBER;
}

/* Check the arguments that are significant in this member, fill in types. 0, or the class that was raised. */
int ampi_check_bcast(struct ampi_caller *c, struct ampi_exchange *x);
int ampi_check_gather(struct ampi_caller *c, struct ampi_exchange *x);
int ampi_check_scatter(struct ampi_caller *c, struct ampi_exchange *x);
int ampi_check_allgather(struct ampi_caller *c, struct ampi_exchange *x); /* in place: send is this member's block of recv */
int ampi_check_alltoall(struct ampi_caller *c, struct ampi_exchange *x); /* in place: send is recv */

/* Refuse an intercommunicator, which this call does not serve. */
int ampi_check_intra(struct ampi_comm *c, int fn);

/* ---- communicators: coll_comm.c ---- */

/* One user of c fewer (the handle, a pending operation): the last one frees it. */
void ampi_comm_release(struct ampi_comm *c);

/* The handle ends; pending operations keep the object. */
void ampi_comm_close(struct ampi_comm *c);

/* errhandler.c */
void ampi_errhandler_hold(uint64_t handle);
void ampi_errhandler_release(uint64_t handle);

#endif
