/* The MPI layer's objects that C on a rank's stack works with. They lie in the rank's slice, except a team, which all
 * members of a communicator share and which lies in the job's arena.
 *
 * Handles are small integers in disguise, the same in C and Fortran: predefined ones are those of the standard ABI, others
 * are AMPI_HANDLE(kind, index into the rank's table). */
#ifndef AMPI_AMPI_H
#define AMPI_AMPI_H

#include "../vrank/core.h"
#include "../vrank/p2p.h"
#include "mpi.h"
#include "serve.h"
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

struct ampi_errhandler {
	uint32_t handle;
	int32_t refs;
	int32_t fortran;
	void (*fn)(void *handle, int *code, ...); /* NULL for the predefined ones */
};

struct ampi_comm {
	uint32_t handle;
	int32_t refs; /* the handle and pending operations */
	uint32_t context; /* of point-to-point messages; context + 1 is the runtime's own */
	int32_t rank, size; /* in the local group */
	const int32_t *world; /* rank here -> rank in MPI_COMM_WORLD; NULL means the same. The team's or the arena's */
	int32_t remote_size; /* of an intercommunicator, else 0 */
	const int32_t *remote_world;
	struct ampi_team *team;
	uint64_t errhandler; /* handle */
	struct ampi_attr *attrs;
	int32_t is_inter;
	char name[MPI_MAX_OBJECT_NAME];
};

struct ampi_op {
	uint32_t handle;
	int32_t refs;
	int32_t commutes, wide; /* wide: fn takes an MPI_Count length */
	void *fn;
};

/* A table of objects by handle index; slots of freed handles are NULL. */
struct ampi_table {
	void **slot;
	uint32_t n, room, first_free;
};

/* The MPI layer's part of a rank, at vr_rank.mpi. */
struct ampi_rank {
	struct ampi_table comms, types, ops, errhandlers, messages, keyvals;
	struct ampi_comm world, self;
	int32_t thread_level;
	uint64_t main_thread;
	void *attached; /* buffer of MPI_Buffer_attach */
	int64_t attached_size, attached_used;
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

static inline struct ampi_comm *ampi_comm(MPI_Comm c)
{
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

static inline int32_t ampi_to_world(const struct ampi_comm *c, int32_t rank)
{
	return c->world ? c->world[rank] : c == &ampi_me()->self ? vr_current->id : rank;
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

/* The name of a function of the table. */
const char *ampi_name(int fn);

/* ---- what Go does for C: results in the rank's slice ---- */
enum ampi_internal { /* serve numbers above the table's */
	AMPI_FN_GROUP_RANKS = AMPI_FN_COUNT, /* (group handle, int32_t *out or NULL, int *n): world ranks of a group */
	AMPI_FN_GROUP_MAKE, /* (int n, const int32_t *world ranks, MPI_Group *out) */
	AMPI_FN_ERROR_TEXT, /* (int code, char *out, int room): what the standard calls this code */
	AMPI_FN_RANK_END, /* (): the rank's Go state may go */
	AMPI_FN_END
};

#endif
