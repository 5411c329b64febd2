/* Making communicators: what the comm_*.c files and intercomm.c share. Everything here is called on a rank's stack. */
#ifndef AMPI_COMM_MAKE_H
#define AMPI_COMM_MAKE_H

#include "ampi/coll/coll.h"

/* What a member says, and what it gets, in its slot on the staging. */
struct ampi_place {
	int32_t color, key;
	int32_t rank; /* in the team that it gets */
	int32_t error; /* class, when its leader failed before the round */
	struct ampi_team *team; /* NULL: not a member of any new group */
	struct ampi_team *remote; /* of an intercommunicator */
};
_Static_assert(sizeof(struct ampi_place) <= AMPI_SLOT_INLINE, "a place fits a slot");

static inline struct ampi_place *ampi_place_of(struct ampi_shm_coll *m, int rank)
{
	return (struct ampi_place *)ampi_shm_coll_slots(m)[rank].inline_data;
}

/* A member that wants a place in a new group. */
struct ampi_seat {
	int32_t color, key, rank;
	int32_t side; /* of an intercommunicator */
};

/* All members that want a place, group by group, in the order of their new ranks; the others get none. How many. */
int ampi_seats_collect(struct ampi_shm_coll *m, int side, struct ampi_seat *seats);

/* Where the seats with the color of the first one end. */
int ampi_seats_end(const struct ampi_seat *seats, int n);

/* Makes the new teams while everybody else sleeps; what goes wrong is failed on the calls. within: one group; across: the two of
 * an intercommunicator, of which the first is the same one whoever asks. */
struct ampi_maker {
	enum ampi_coll kind;
	void (*within)(struct ampi_shm_coll *m);
	void (*across)(struct ampi_shm_coll *side[2]);
};

/* Check comm and fill m, with the local group of an intercommunicator. 0, or the class that was raised. */
int ampi_make_open(struct ampi_shm_coll *m, int fn, MPI_Comm comm, MPI_Comm *newcomm);

/* One round, in the middle of which the maker sees all places. This member's place then, or what was raised. Switches. */
int ampi_make_shm_coll(struct ampi_shm_coll *m, const struct ampi_maker *maker, int color, int key, struct ampi_place *p);

/* A round of all members of both groups: the last of each come together and one of them calls maker->across. Switches. */
void ampi_cross(struct ampi_shm_coll *m, const struct ampi_maker *maker);
void ampi_split_across(struct ampi_shm_coll *side[2]);

/* Members with one color become a communicator, ordered by key. Returns what was raised. Switches. */
int ampi_split_to_handle(struct ampi_shm_coll *m, int color, int key, MPI_Comm *newcomm);

/* One round of all members of c, of both groups. Returns what was raised. Switches. */
int ampi_make_barrier(struct ampi_comm *c, int fn);

/* A context that no communicator has had. */
uint32_t ampi_context_new(void);

/* The communicator of a place; NULL when the slice is full. It inherits the parent's error handler and session. */
struct ampi_comm *ampi_comm_new(const struct ampi_comm *parent, const struct ampi_place *p);

/* A communicator that will be a duplicate of parent once it has a place, and giving it that. Adopting needs no stack of its own. */
struct ampi_comm *ampi_comm_conceive(struct ampi_comm *parent);
void ampi_comm_adopt(struct ampi_comm *c, const struct ampi_place *p);

/* Take over hints and attributes; what is raised is returned. ampi_comm_discard is for a duplicate that cannot be completed. */
int ampi_comm_inherit(struct ampi_comm *parent, int fn, struct ampi_comm *c, MPI_Info info);
void ampi_comm_discard(struct ampi_comm *c, int fn);

/* Give the program a communicator for its place: MPI_COMM_NULL without one. Returns what was raised. */
int ampi_make_handle(struct ampi_comm *parent, int fn, const struct ampi_place *p, MPI_Comm *out);

/* ---- hints: comm_info.c ---- */

/* Give a new communicator the hints of info, which may be MPI_INFO_NULL. Errors are raised on `parent`. */
int ampi_hints_take(struct ampi_comm *parent, int fn, struct ampi_comm *c, MPI_Info info);

/* The value of a key, cut to fit; 0 when info has none. */
int ampi_info_value(MPI_Info info, const char *key, char *value, int room);

/* ---- groups: comm_group.c ---- */

/* A group's members as ranks of MPI_COMM_WORLD, and which of them this rank is. */
struct ampi_members {
	int32_t *ranks; /* in the slice, NULL when there are none */
	int n;
	int me; /* AMPI_NO_MEMBER: it is none */
	uint32_t session; /* handle of the session that the group comes from, or 0 */
};
#define AMPI_NO_MEMBER (-1)

int ampi_members_open(struct ampi_members *g, struct ampi_comm *c, int fn, MPI_Group group, const char *name);
void ampi_members_close(struct ampi_members *g);

/* 0, or what was raised: all members are in the local group of c. */
int ampi_members_within(const struct ampi_members *g, struct ampi_comm *c, int fn);

/* ---- messages of the runtime: comm_link.c ---- */

/* A pair of ranks and a tag in a context of the runtime's own. */
struct ampi_link {
	uint32_t context;
	int32_t source, peer; /* this rank and the other, as they are called there */
	int32_t peer_world;
	int32_t tag;
	int32_t fn; /* for deadlock reports */
};

/* Send or receive `bytes` of data. 0, or -1 without memory. Switch. */
int ampi_link_send(const struct ampi_link *l, const void *data, size_t bytes);
int ampi_link_recv(const struct ampi_link *l, void *data, size_t bytes);

/* What member `root` has in p, in all members, with their own rank. Switches. */
void ampi_spread(struct ampi_link *l, const struct ampi_members *g, int root, struct ampi_place *p);

/* The group's first member makes the team. parent: where errors are raised, and whose error handler is inherited. Switches. */
int ampi_group_create(struct ampi_comm *parent, struct ampi_link *l, const struct ampi_members *g, MPI_Comm *newcomm);

/* ---- two groups: intercomm_create.c ---- */

/* In the leaders of two groups: make the teams of an intercommunicator. p has them, or the class of what went wrong. Switches. */
void ampi_leaders_agree(const struct ampi_link *l, const struct ampi_members *g, struct ampi_place *p);

/* Raise what went wrong there. */
int ampi_raise_agreed(struct ampi_comm *c, int fn, int klass);

#endif
