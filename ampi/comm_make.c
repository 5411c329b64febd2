/* Making communicators (MPI 5.0 section 7.4): one meet in which the last leader makes the teams of all new groups. */
#include "coll.h"

#include <stdlib.h>

#define INDEX_NONE (-1)

/* What a member says, and what it gets, in its slot on the board. */
struct place {
	int32_t color, key;
	struct ampi_team *team; /* NULL: not a member of any new group */
	int32_t rank;
};
_Static_assert(sizeof(struct place) <= AMPI_SLOT_INLINE, "a place fits a slot");

static struct place *place_of(struct ampi_meet *m, int rank)
{
	return (struct place *)ampi_meet_slots(m)[rank].inline_data;
}

/* ---- the last leader ---- */

struct seat {
	int32_t color, key, rank;
};

static int by_color_and_key(const void *a_, const void *b_)
{
	const struct seat *a = a_, *b = b_;
	if (a->color != b->color)
		return a->color < b->color ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->rank < b->rank ? -1 : 1;
}

/* All members that want a place, group by group, in the order of their new ranks. */
static int collect(struct ampi_meet *m, struct seat *seats)
{
	int n = 0;
	for (int i = 0; i < m->size; i++) {
		struct place *p = place_of(m, i);
		p->team = NULL;
		if (p->color != MPI_UNDEFINED)
			seats[n++] = (struct seat){p->color, p->key, i};
	}
	qsort(seats, n, sizeof *seats, by_color_and_key);
	return n;
}

static uint32_t new_context(void)
{
	return atomic_fetch_add(&vr_job->next_context, AMPI_CONTEXTS);
}

static void make_group(struct ampi_meet *m, const struct seat *seats, int n, int32_t *world)
{
	for (int i = 0; i < n; i++)
		world[i] = ampi_to_world(m->comm, seats[i].rank);
	struct ampi_team *team = ampi_team_make(world, n, new_context());
	if (!team)
		ampi_meet_fail(m, MPI_ERR_NO_MEM);
	for (int i = 0; i < n; i++) {
		struct place *p = place_of(m, seats[i].rank);
		p->team = team;
		p->rank = i;
	}
}

static void make_groups(struct ampi_meet *m)
{
	struct seat *seats = vr_rank_alloc(vr_current, m->size * (sizeof *seats + sizeof(int32_t)));
	if (!seats) {
		ampi_meet_fail(m, MPI_ERR_NO_MEM);
		return;
	}
	int32_t *world = (int32_t *)(seats + m->size);
	int n = collect(m, seats);
	for (int from = 0, to; from < n; from = to) {
		for (to = from; to < n && seats[to].color == seats[from].color; to++)
			;
		make_group(m, &seats[from], to - from, world);
	}
	vr_rank_free(vr_current, seats);
}

/* ---- each member ---- */

static struct ampi_comm *comm_new(struct ampi_comm *parent, struct ampi_team *team, int32_t rank)
{
	struct ampi_comm *c = vr_rank_calloc(vr_current, 1, sizeof *c);
	uint64_t handle = c ? ampi_enter(vr_current, &ampi_me()->comms, AMPI_COMM, c) : 0;
	if (!handle) {
		vr_rank_free(vr_current, c);
		return NULL;
	}
	*c = (struct ampi_comm){.handle = handle, .refs = 1, .context = team->context, .rank = rank, .size = team->size,
				.world = team->world, .team = team, .errhandler = parent->errhandler};
	ampi_errhandler_hold(c->errhandler);
	return c;
}

static int no_memory(struct ampi_comm *c, int fn)
{
	return ampi_raise(c, MPI_ERR_NO_MEM, fn, "the rank's slice is full: see +slice");
}

/* Members with one color become a communicator, ordered by key. *out is NULL without a place. Switches. */
static int split(struct ampi_meet *m, int color, int key, struct ampi_comm **out)
{
	ampi_meet_begin(m, AMPI_COLL_SPLIT, -1, 0);
	*place_of(m, m->rank) = (struct place){.color = color, .key = key};
	if (ampi_meet_arrive(m)) {
		if (ampi_meet_leaders(m)) {
			if (!ampi_meet_failed(m))
				make_groups(m);
			ampi_meet_release_leaders(m);
		}
		ampi_meet_release(m);
	}
	struct place p = *place_of(m, m->rank);
	int error = ampi_meet_end(m);
	*out = NULL;
	if (error || !p.team)
		return error;
	*out = comm_new(m->comm, p.team, p.rank);
	return *out ? MPI_SUCCESS : no_memory(m->comm, m->fn);
}

static MPI_Comm handle_of(const struct ampi_comm *c)
{
	return c ? (MPI_Comm)(uint64_t)c->handle : MPI_COMM_NULL;
}

static int split_to_handle(struct ampi_meet *m, int color, int key, MPI_Comm *newcomm)
{
	struct ampi_comm *c;
	int error = split(m, color, key, &c);
	*newcomm = error ? MPI_COMM_NULL : handle_of(c);
	return error;
}

/* ---- the calls ---- */

int ampi_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	struct ampi_meet m;
	int error = ampi_meet_open(&m, AMPI_FN_MPI_Comm_split, comm);
	if (error)
		return error;
	if (color < 0 && color != MPI_UNDEFINED)
		return ampi_raise(m.comm, MPI_ERR_ARG, m.fn, "color is %d: neither positive, nor zero, nor MPI_UNDEFINED", color);
	return split_to_handle(&m, color, key, newcomm);
}

/* All members are on this node, so they share memory. No hardware resource below the node is told apart: a split by hardware finds
 * no smaller groups, for which the standard has MPI_COMM_NULL. */
int ampi_Comm_split_type(MPI_Comm comm, int split_type, int key, MPI_Info info, MPI_Comm *newcomm)
{
	struct ampi_meet m;
	int error = ampi_meet_open(&m, AMPI_FN_MPI_Comm_split_type, comm);
	(void)info;
	if (error)
		return error;
	switch (split_type) {
	case MPI_COMM_TYPE_SHARED:
		return split_to_handle(&m, 0, key, newcomm);
	case MPI_COMM_TYPE_HW_UNGUIDED:
	case MPI_COMM_TYPE_HW_GUIDED:
	case MPI_COMM_TYPE_RESOURCE_GUIDED:
	case MPI_UNDEFINED:
		return split_to_handle(&m, MPI_UNDEFINED, key, newcomm);
	}
	return ampi_raise(m.comm, MPI_ERR_ARG, m.fn, "split_type %d is not a type of the standard", split_type);
}

static int duplicate(int fn, MPI_Comm comm, MPI_Comm *newcomm)
{
	struct ampi_meet m;
	struct ampi_comm *c;
	int error = ampi_meet_open(&m, fn, comm);
	*newcomm = MPI_COMM_NULL;
	if (error || (error = split(&m, 0, m.rank, &c)))
		return error;
	error = ampi_attrs_copy(m.comm, c, fn);
	if (error) {
		ampi_comm_close(c);
		return error;
	}
	*newcomm = handle_of(c);
	return MPI_SUCCESS;
}

int ampi_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	return duplicate(AMPI_FN_MPI_Comm_dup, comm, newcomm);
}

/* No hint of the standard changes what a communicator does here. */
int ampi_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	(void)info;
	return duplicate(AMPI_FN_MPI_Comm_dup_with_info, comm, newcomm);
}

/* ---- from groups ---- */

/* World ranks of a group's members, in the slice; NULL with *n == 0 for an empty one. */
static int group_ranks(struct ampi_comm *c, int fn, MPI_Group group, int32_t **ranks, int *n)
{
	uint64_t args[3] = {(uint64_t)group, 0, (uint64_t)n};
	*ranks = NULL;
	*n = 0;
	if (group == MPI_GROUP_NULL)
		return ampi_raise(c, MPI_ERR_GROUP, fn, "group is MPI_GROUP_NULL");
	int error = ampi_serve(AMPI_FN_GROUP_RANKS, args, 3);
	if (error || !*n)
		return error;
	*ranks = vr_rank_alloc(vr_current, *n * sizeof **ranks);
	if (!*ranks)
		return no_memory(c, fn);
	args[1] = (uint64_t)*ranks;
	return ampi_serve(AMPI_FN_GROUP_RANKS, args, 3);
}

/* Turn world ranks into ranks of c, INDEX_NONE for those outside. 0, or -1 without memory. */
static int to_members(struct ampi_comm *c, int32_t *ranks, int n)
{
	int32_t *map = vr_rank_alloc(vr_current, vr_job->ranks * sizeof *map);
	if (!map)
		return -1;
	for (int i = 0; i < vr_job->ranks; i++)
		map[i] = INDEX_NONE;
	for (int i = 0; i < c->size; i++)
		map[ampi_to_world(c, i)] = i;
	for (int i = 0; i < n; i++)
		ranks[i] = map[ranks[i]];
	vr_rank_free(vr_current, map);
	return 0;
}

/* A group's members as ranks of c, and which of them this rank is. */
struct members {
	int32_t *ranks;
	int n;
	int me; /* INDEX_NONE: it is none */
};

static int check_members(struct ampi_comm *c, int fn, struct members *g)
{
	g->me = INDEX_NONE;
	for (int i = 0; i < g->n; i++) {
		if (g->ranks[i] == INDEX_NONE)
			return ampi_raise(c, MPI_ERR_GROUP, fn, "member %d of group is not in comm", i);
		if (g->ranks[i] == c->rank)
			g->me = i;
	}
	return MPI_SUCCESS;
}

static int members_open(struct members *g, struct ampi_comm *c, int fn, MPI_Group group)
{
	int error = group_ranks(c, fn, group, &g->ranks, &g->n);
	if (!error && g->n && to_members(c, g->ranks, g->n))
		error = no_memory(c, fn);
	if (!error)
		error = check_members(c, fn, g);
	if (error)
		vr_rank_free(vr_current, g->ranks);
	return error;
}

int ampi_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	struct ampi_meet m;
	struct members g;
	int error;
	*newcomm = MPI_COMM_NULL;
	if ((error = ampi_meet_open(&m, AMPI_FN_MPI_Comm_create, comm)) || (error = members_open(&g, m.comm, m.fn, group)))
		return error;
	int color = g.me == INDEX_NONE ? MPI_UNDEFINED : g.ranks[0];
	vr_rank_free(vr_current, g.ranks);
	return split_to_handle(&m, color, g.me, newcomm);
}

/* ---- by the group alone: its first member makes the team and tells the others, in the runtime's own context ---- */

static int tell(struct ampi_comm *c, int32_t to, int tag, struct ampi_team *team)
{
	struct vr_message m = {.buf = &team, .count = sizeof team, .type = vr_type_predefined((uint64_t)MPI_BYTE),
			       .context = c->context + AMPI_CONTEXT_OWN, .source = c->rank, .dest = to, .dest_world = ampi_to_world(c, to), .tag = tag};
	struct vr_request *r = vr_send_start(&m);
	if (r == VR_NO_MEMORY)
		return -1;
	if (r) {
		vr_request_wait(&r, 1, 1);
		vr_request_free(r);
	}
	return 0;
}

static struct ampi_team *hear(struct ampi_comm *c, int32_t from, int tag)
{
	struct ampi_team *team = NULL;
	struct vr_request *r = vr_request_alloc(vr_current, VR_REQ_RECV);
	if (!r)
		return NULL;
	r->context = c->context + AMPI_CONTEXT_OWN;
	r->peer = from;
	r->peer_world = ampi_to_world(c, from);
	r->tag = tag;
	r->buf = &team;
	r->type = vr_type_predefined((uint64_t)MPI_BYTE);
	r->count = sizeof team;
	vr_recv_start(r);
	if (!(r->flags & VR_RQ_DONE))
		vr_request_wait(&r, 1, 1);
	vr_request_free(r);
	return team;
}

/* The team that this member makes, NULL without memory: the others hear of that, too. */
static struct ampi_team *make_and_tell(struct ampi_comm *c, const struct members *g, int tag)
{
	int32_t *world = vr_rank_alloc(vr_current, g->n * sizeof *world);
	struct ampi_team *team = NULL;
	for (int i = 0; world && i < g->n; i++)
		world[i] = ampi_to_world(c, g->ranks[i]);
	if (world)
		team = ampi_team_make(world, g->n, new_context());
	vr_rank_free(vr_current, world);
	for (int i = 1; i < g->n; i++)
		if (tell(c, g->ranks[i], tag, team))
			return NULL;
	return team;
}

int ampi_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
	int fn = AMPI_FN_MPI_Comm_create_group, error;
	struct ampi_comm *c = ampi_comm(comm), *made;
	struct members g;
	*newcomm = MPI_COMM_NULL;
	if (!c)
		return ampi_bad_comm(comm, fn);
	if (tag < 0)
		return ampi_raise(c, MPI_ERR_TAG, fn, "tag is %d", tag);
	if ((error = ampi_check_intra(c, fn)) || (error = members_open(&g, c, fn, group)))
		return error;
	if (g.me == INDEX_NONE) {
		vr_rank_free(vr_current, g.ranks);
		return MPI_SUCCESS;
	}
	vr_current->wait.fn = fn;
	struct ampi_team *team = g.me ? hear(c, g.ranks[0], tag) : make_and_tell(c, &g, tag);
	vr_rank_free(vr_current, g.ranks);
	made = team ? comm_new(c, team, g.me) : NULL;
	if (!made)
		return no_memory(c, fn);
	*newcomm = handle_of(made);
	return MPI_SUCCESS;
}
