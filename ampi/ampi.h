/* The MPI layer's objects that C on a rank's stack works with. They lie in the rank's slice, except a team, which all
 * members of a communicator share and which lies in the job's arena.
 *
 * Handles are small integers in disguise, the same in C and Fortran: predefined ones are those of the standard ABI, others
 * are AMPI_HANDLE(kind, index into the rank's table). */
#ifndef AMPI_AMPI_H
#define AMPI_AMPI_H

#include "ampi/functions_gen.h"
#include "ampi/serve.h"
#include "mpi.h"
#include "vrank/core/abort.h"
#include "vrank/core/access.h"
#include "vrank/core/inbox.h"
#include "vrank/core/job.h"
#include "vrank/core/output.h"
#include "vrank/core/rank_memory.h"
#include "vrank/core/schedule.h"
#include "vrank/core/tls.h"
#include "vrank/p2p/p2p.h"
#include "table.h"

enum ampi_kind {
	AMPI_COMM = 1, AMPI_GROUP, AMPI_WIN, AMPI_FILE, AMPI_SESSION, AMPI_MESSAGE, AMPI_INFO, AMPI_ERRHANDLER, AMPI_REQUEST,
	AMPI_TYPE, AMPI_OP,
};
#define AMPI_HANDLE(kind, index) ((uint64_t)(kind) << 24 | (uint64_t)(index))
#define AMPI_IS(kind, handle) ((uint64_t)(handle) >> 24 == (uint64_t)(kind))
#define AMPI_INDEX(handle) ((uint32_t)(uint64_t)(handle) & 0xffffff)

struct ampi_team; /* coll.h */
struct ampi_attr;
struct ampi_win; /* window.h */
struct ampi_topology; /* topo.h */

/* What a communicator's contexts are for, added to its first one. */
enum ampi_context {
	AMPI_CONTEXT_P2P,
	AMPI_CONTEXT_OWN, /* the runtime's own messages */
	AMPI_CONTEXT_PLAN, /* schedules, inside the local group */
	AMPI_CONTEXT_ACROSS, /* schedules, between the groups of an intercommunicator; the source is the rank in its own group */
	AMPI_CONTEXTS
};
#define AMPI_CONTEXT_WORLD 4
#define AMPI_CONTEXT_SELF 8

struct ampi_errhandler {
	uint32_t handle;
	int32_t refs; /* all uses: the program's and those of objects */
	int32_t named; /* of those the program's: freed when it has none left, though objects may go on with it */
	int32_t kind; /* enum ampi_kind of the objects that it is for */
	void (*fn)(void *handle, int *code, ...);
};

/* What calls look at comes first, in 64 bytes. */
struct ampi_comm {
	struct ampi_team *team; /* of the local group */
	int32_t rank, size; /* in the local group */
	int32_t is_inter; /* AMPI_UNBORN while the MPI_Comm_idup that makes it goes on */
	uint32_t context; /* the first of AMPI_CONTEXTS, see enum ampi_context */
	const int32_t *world; /* rank here -> rank in MPI_COMM_WORLD; NULL means the same. The team's or the arena's */
	const int32_t *remote_world;
	int32_t remote_size; /* of an intercommunicator, else 0 */
	uint32_t schedules; /* collective operations so far that have a schedule: see sched.h */
	uint32_t handle;
	int32_t refs; /* the handle and pending operations */
	struct ampi_topology *topology; /* NULL without one */

	struct ampi_team *remote_team; /* of an intercommunicator, else NULL */
	uint64_t errhandler; /* handle */
	uint64_t info; /* handle of the hints that it has, 0 when it has none: hints.go */
	struct ampi_attr *attrs;
	uint32_t session; /* handle of the session that it comes from, or 0 */
	char name[MPI_MAX_OBJECT_NAME];
};

/* Not zero, so that those who look for intercommunicators look twice. */
#define AMPI_UNBORN (-1)

struct ampi_op {
	uint32_t handle;
	int32_t refs;
	int32_t commutes, wide; /* wide: fn takes an MPI_Count length */
	void *fn;
};

/* A table of objects by handle index; free slots are NULL. room is a power of two. */
struct ampi_table {
	void **slot;
	uint32_t used, room, next;
};

/* The MPI layer's part of a rank, at vr_rank.mpi. */
struct ampi_rank {
	alignas(VR_LINE) struct ampi_comm world;
	alignas(VR_LINE) struct ampi_comm self;
	struct ampi_table comms, types, ops, errhandlers, messages, keyvals, sessions, wins;
	uint64_t recent_win; /* handle of the window that was used last, or 0 */
	struct ampi_win *recent;
	int32_t open_sessions;
	int32_t thread_level;
	int32_t session_level; /* the highest thread level of all sessions so far */
	uint64_t main_thread; /* that called MPI_Init, by number; 0: the rank's first one */
	struct ampi_buffer *buffers; /* attached for buffered sends: bsend.c */
	int32_t last_error_code; /* MPI_LASTUSEDCODE */
	int32_t self_handled; /* the program has set an error handler on MPI_COMM_SELF */
	int32_t told_class; /* class of the error that `told` is about */
	char *told; /* what the last error was that the program got back as a code, or NULL */
	uint64_t file_errhandler; /* of MPI_FILE_NULL: what files are opened with */
	struct vr_type *done_types; /* freed and returned: type_lend.c; linked by attrs */
	struct ampi_type_attrs *type_attrs; /* attributes of predefined datatypes */
	MPI_MigrateFn about_to_migrate, just_migrated; /* of the program, or NULL: migrate.c */
	struct ampi_pup_entry *pups; /* what AMPI_Register_pup was given: pup.c */
	int32_t npups;
	_Atomic int32_t suspension; /* enum ampi_suspension */
	struct vr_context *suspended; /* the context that is */
	struct ampi_rpc *rpc; /* rpc/rpc.h; NULL until it is needed */
};

static inline struct ampi_rank *ampi_me(void)
{
	return vr_current->mpi;
}

/* Handle -> object, NULL when the handle is not a live one of its kind. Rank stack. */
void *ampi_lookup(const struct ampi_table *t, enum ampi_kind kind, uint64_t handle);

/* Put an object in a table of rank r; returns its handle, 0 when the slice is full. The owner of r. */
uint64_t ampi_enter(struct vr_rank *r, struct ampi_table *t, enum ampi_kind kind, void *object);
void ampi_remove(struct ampi_table *t, uint64_t handle);

/* MPI is running: between MPI_Init and MPI_Finalize, or while a session is open. */
static inline int ampi_running(void)
{
	return vr_current->mpi_state == VR_MPI_RUNNING || ampi_me()->open_sessions;
}

/* The same outside of MPI_Init and MPI_Finalize: there are those of sessions. session.c. */
struct ampi_comm *ampi_comm_of_session(MPI_Comm c);

/* NULL: not a live communicator, or MPI is not running: ampi_bad_comm says which. */
static inline struct ampi_comm *ampi_comm(MPI_Comm c)
{
	if (vr_unlikely(vr_current->mpi_state != VR_MPI_RUNNING))
		return ampi_comm_of_session(c);
	if (c == MPI_COMM_WORLD)
		return &ampi_me()->world;
	if (c == MPI_COMM_SELF)
		return &ampi_me()->self;
	return ampi_lookup(&ampi_me()->comms, AMPI_COMM, (uint64_t)c);
}

static inline const struct vr_type *ampi_type(MPI_Datatype t)
{
	if (vr_likely((uint64_t)t < 0x300))
		return vr_type_predefined((uint64_t)t);
	return ampi_lookup(&ampi_me()->types, AMPI_TYPE, (uint64_t)t);
}

/* Any stack, for a communicator of rank r. */
static inline int32_t ampi_to_world_of(const struct vr_rank *r, const struct ampi_comm *c, int32_t rank)
{
	return c->world ? c->world[rank] : c == &((struct ampi_rank *)r->mpi)->self ? r->id : rank;
}

static inline int32_t ampi_to_world(const struct ampi_comm *c, int32_t rank)
{
	return ampi_to_world_of(vr_current, c, rank);
}

/* The rank in MPI_COMM_WORLD of whom a message to `rank` goes to. */
static inline int32_t ampi_peer_world(const struct ampi_comm *c, int32_t rank)
{
	return vr_unlikely(c->is_inter) ? c->remote_world[rank] : ampi_to_world(c, rank);
}

/* A message goes to the remote group of an intercommunicator, else to the only group there is. */
static inline int32_t ampi_peer_count(const struct ampi_comm *c)
{
	return c->is_inter ? c->remote_size : c->size;
}

/* ---- errors: error.c. Rank stack; may call the program's error handler, and may not come back ---- */

/* Raise error class `klass` in call fn on a communicator (NULL: MPI_COMM_SELF's handler, as MPI 5.0 section 9.3 has it).
 * Returns the class when the handler returns. The text says which argument is wrong and why, without the call's name. */
int ampi_raise(struct ampi_comm *c, int klass, int fn, const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/* 0, or what was raised: MPI is not running. For calls that have no handle to look up first. */
int ampi_check_running(int fn);

/* Raise what is wrong with a handle that a lookup refused. */
int ampi_bad_comm(MPI_Comm comm, int fn);
int ampi_bad_type(struct ampi_comm *c, MPI_Datatype type, int fn);

/* Raise MPI_ERR_NO_MEM: the slice of the rank that runs has no room. */
int ampi_no_memory(struct ampi_comm *c, int fn);

/* Raise MPI_ERR_ARG: an argument that must point somewhere is NULL. */
int ampi_null(struct ampi_comm *c, int fn, const char *name);

/* The name of a function of the table. */
const char *ampi_name(int fn);

/* ---- attributes: attr.c. Rank stack; call the program's callbacks ---- */

/* Copy a communicator's attributes to its duplicate, or delete them all: the class of the callback that failed, or 0. */
int ampi_attrs_copy(struct ampi_comm *from, struct ampi_comm *to, int fn);
int ampi_attrs_free(struct ampi_comm *c, int fn);

/* ---- communicators ---- */

/* The team of MPI_COMM_WORLD, made once per job: coll.h. NULL when the arena is full. Rank stack. */
struct ampi_team *ampi_team_world(void);
struct ampi_team *ampi_team_self(void);

/* Count a use of an error handler, by handle; predefined ones need none. Rank stack. */
void ampi_errhandler_hold(uint64_t handle);
void ampi_errhandler_release(uint64_t handle);

/* The owner of r: the MPI state of a new rank. */
void ampi_rank_init(struct vr_rank *r);

/* ---- requests: request.c. Rank stack ---- */

static inline MPI_Request ampi_request_handle(const struct vr_request *r)
{
	return (MPI_Request)AMPI_HANDLE(AMPI_REQUEST, r->index);
}
struct vr_request *ampi_request(MPI_Request h);

/* The request that operations which are complete from the start share. */
static inline MPI_Request ampi_done_request(void)
{
	return (MPI_Request)AMPI_HANDLE(AMPI_REQUEST, 0);
}

void ampi_status_set(MPI_Status *s, int source, int tag, int64_t bytes, uint64_t comm, int cancelled);
int64_t ampi_status_bytes(const MPI_Status *s);

/* A request made the wait list of a call: complete it if it is done. Returns its error class; frees or deactivates it. */
int ampi_request_finish(struct vr_request *r, MPI_Request *h, MPI_Status *s);

/* ---- what Go does for C: results in the rank's slice ---- */
enum ampi_internal { /* serve numbers above the table's */
	AMPI_FN_GROUP_RANKS = AMPI_FN_COUNT, /* (group handle, int32_t *out or NULL, int *n, uint32_t *session): world ranks of a group */
	AMPI_FN_GROUP_MAKE, /* (int n, const int32_t *world ranks, session handle, MPI_Group *out) */
	AMPI_FN_ERROR_TEXT, /* (int code, char *out, int room): what the standard calls this code */
	AMPI_FN_TYPE_ELEMENTS, /* (type handle, int64 bytes, MPI_Count *out): basic elements in so many bytes, or MPI_UNDEFINED */
	AMPI_FN_COMM_HINTS, /* (MPI_Info given, uint64_t *info): take the hints that are known; 0 at first */
	AMPI_FN_COMM_INFO, /* (uint64_t info or 0, MPI_Info *out): all hints of a communicator */
	AMPI_FN_TYPE_BYTES, /* (type handle, int64 basic elements, MPI_Count *out): bytes that they take */
	AMPI_FN_WIN_HINTS, AMPI_FN_WIN_INFO, /* the same two of windows */
	AMPI_FN_END
};

#endif
