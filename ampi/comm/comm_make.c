/* Making communicators (MPI 5.0 section 7.4): one round in which the last leader makes the teams of all new groups. */
#include "ampi/comm/comm_make.h"
#include "ampi/comm/topo.h"

#include <stdlib.h>

/* ---- the last leader ---- */

static int by_color_and_key(const void *a_, const void *b_)
{
	const struct ampi_seat *a = a_, *b = b_;
	if (a->color != b->color)
		return a->color < b->color ? -1 : 1;
	if (a->key != b->key)
		return a->key < b->key ? -1 : 1;
	return a->rank < b->rank ? -1 : 1;
}

int ampi_seats_collect(struct ampi_shm_coll *m, int side, struct ampi_seat *seats)
{
	int n = 0;
	for (int i = 0; i < m->size; i++) {
		struct ampi_place *p = ampi_place_of(m, i);
		p->team = p->remote = NULL;
		if (p->color != MPI_UNDEFINED)
			seats[n++] = (struct ampi_seat){p->color, p->key, i, side};
	}
	qsort(seats, n, sizeof *seats, by_color_and_key);
	return n;
}

int ampi_seats_end(const struct ampi_seat *seats, int n)
{
	int to = 0;
	while (to < n && seats[to].color == seats[0].color)
		to++;
	return to;
}

uint32_t ampi_context_new(void)
{
	return atomic_fetch_add(&vr_job->next_context, AMPI_CONTEXTS);
}

static void make_group(struct ampi_shm_coll *m, const struct ampi_seat *seats, int n, int32_t *world)
{
	for (int i = 0; i < n; i++)
		world[i] = ampi_to_world(m->comm, seats[i].rank);
	struct ampi_team *team = ampi_team_make(world, n, ampi_context_new());
	if (!team)
		ampi_shm_coll_fail(m, MPI_ERR_NO_MEM);
	for (int i = 0; i < n; i++) {
		struct ampi_place *p = ampi_place_of(m, seats[i].rank);
		p->team = team;
		p->rank = i;
	}
}

static void split_within(struct ampi_shm_coll *m)
{
	struct ampi_seat *seats = vr_rank_alloc(vr_current, m->size * (sizeof *seats + sizeof(int32_t)));
	if (!seats) {
		ampi_shm_coll_fail(m, MPI_ERR_NO_MEM);
		return;
	}
	int32_t *world = (int32_t *)(seats + m->size);
	int n = ampi_seats_collect(m, 0, seats);
	for (int from = 0, to; from < n; from = to) {
		to = from + ampi_seats_end(&seats[from], n - from);
		make_group(m, &seats[from], to - from, world);
	}
	vr_rank_free(vr_current, seats);
}

/* ---- each member ---- */

void ampi_comm_adopt(struct ampi_comm *c, const struct ampi_place *p)
{
	c->context = p->team->context;
	c->rank = p->rank;
	c->size = p->team->size;
	c->world = p->team->world;
	c->team = p->team;
	c->is_inter = p->remote != NULL;
	if (!p->remote)
		return;
	c->remote_team = p->remote;
	c->remote_size = p->remote->size;
	c->remote_world = p->remote->world;
}

static struct ampi_comm *comm_enter(const struct ampi_comm *parent)
{
	struct ampi_comm *c = vr_rank_calloc(vr_current, 1, sizeof *c);
	uint64_t handle = c ? ampi_enter(vr_current, &ampi_me()->comms, AMPI_COMM, c) : 0;
	if (!handle) {
		vr_rank_free(vr_current, c);
		return NULL;
	}
	c->handle = handle;
	c->refs = 1;
	c->errhandler = parent->errhandler;
	c->session = parent->session;
	ampi_errhandler_hold(c->errhandler);
	return c;
}

struct ampi_comm *ampi_comm_new(const struct ampi_comm *parent, const struct ampi_place *p)
{
	struct ampi_comm *c = comm_enter(parent);
	if (c)
		ampi_comm_adopt(c, p);
	return c;
}

struct ampi_comm *ampi_comm_conceive(struct ampi_comm *parent)
{
	struct ampi_comm *c = comm_enter(parent);
	if (!c)
		return NULL;
	c->rank = parent->rank;
	c->size = parent->size;
	c->world = parent->world;
	c->is_inter = AMPI_UNBORN;
	return c;
}

static MPI_Comm handle_of(const struct ampi_comm *c)
{
	return (MPI_Comm)(uint64_t)c->handle;
}

int ampi_make_handle(struct ampi_comm *parent, int fn, const struct ampi_place *p, MPI_Comm *out)
{
	struct ampi_comm *c = p->team ? ampi_comm_new(parent, p) : NULL;
	*out = c ? handle_of(c) : MPI_COMM_NULL;
	return p->team && !c ? ampi_no_memory(parent, fn) : MPI_SUCCESS;
}

int ampi_make_open(struct ampi_shm_coll *m, int fn, MPI_Comm comm, MPI_Comm *newcomm)
{
	m->fn = fn;
	m->comm = ampi_comm(comm);
	if (!m->comm)
		return ampi_bad_comm(comm, fn);
	if (!newcomm)
		return ampi_raise(m->comm, MPI_ERR_ARG, fn, "the place for the new communicator is a null pointer");
	if (m->comm->is_inter == AMPI_UNBORN)
		return ampi_check_intra(m->comm, fn);
	m->team = m->comm->team;
	m->rank = m->comm->rank;
	m->size = m->comm->size;
	*newcomm = MPI_COMM_NULL;
	return MPI_SUCCESS;
}

static void last_leader(struct ampi_shm_coll *m, const struct ampi_maker *maker)
{
	if (m->comm->is_inter && maker->across)
		ampi_cross(m, maker);
	else if (!ampi_shm_coll_failed(m) && maker->within)
		maker->within(m);
	ampi_shm_coll_release_leaders(m);
}

int ampi_make_shm_coll(struct ampi_shm_coll *m, const struct ampi_maker *maker, int color, int key, struct ampi_place *p)
{
	ampi_shm_coll_begin(m, maker->kind, -1, 0);
	*ampi_place_of(m, m->rank) = (struct ampi_place){.color = color, .key = key};
	if (ampi_shm_coll_arrive(m)) {
		if (ampi_shm_coll_leaders(m))
			last_leader(m, maker);
		ampi_shm_coll_release(m);
	}
	*p = *ampi_place_of(m, m->rank);
	return ampi_shm_coll_end(m);
}

static void nothing_across(struct ampi_shm_coll *side[2])
{
	(void)side;
}

/* Members with one color become a communicator, ordered by key. Switches. */
static int split(struct ampi_shm_coll *m, int color, int key, struct ampi_place *p)
{
	static const struct ampi_maker maker = {AMPI_COLL_SPLIT, split_within, ampi_split_across};
	return ampi_make_shm_coll(m, &maker, color, key, p);
}

int ampi_make_barrier(struct ampi_comm *c, int fn)
{
	static const struct ampi_maker maker = {AMPI_COLL_BARRIER, NULL, nothing_across};
	struct ampi_shm_coll m = {.comm = c, .team = c->team, .rank = c->rank, .size = c->size, .fn = fn};
	struct ampi_place p;
	return ampi_make_shm_coll(&m, &maker, 0, 0, &p);
}

int ampi_split_to_handle(struct ampi_shm_coll *m, int color, int key, MPI_Comm *newcomm)
{
	struct ampi_place p;
	int error = split(m, color, key, &p);
	return error ? error : ampi_make_handle(m->comm, m->fn, &p, newcomm);
}

/* ---- the calls ---- */

int ampi_Comm_split(MPI_Comm comm, int color, int key, MPI_Comm *newcomm)
{
	struct ampi_shm_coll m;
	int error = ampi_make_open(&m, AMPI_FN_MPI_Comm_split, comm, newcomm);
	if (error)
		return error;
	if (color < 0 && color != MPI_UNDEFINED)
		return ampi_raise(m.comm, MPI_ERR_ARG, m.fn, "color is %d: neither positive, nor zero, nor MPI_UNDEFINED", color);
	return ampi_split_to_handle(&m, color, key, newcomm);
}

void ampi_comm_discard(struct ampi_comm *c, int fn)
{
	ampi_attrs_free(c, fn);
	ampi_comm_close(c);
}

int ampi_comm_inherit(struct ampi_comm *parent, int fn, struct ampi_comm *c, MPI_Info info)
{
	int error = ampi_hints_take(parent, fn, c, info);
	if (error)
		return error;
	error = ampi_attrs_copy(parent, c, fn);
	if (error)
		return ampi_raise(parent, error, fn, "a copy function of an attribute returned error %d", error);
	c->topology = ampi_topology_hold(parent->topology);
	return MPI_SUCCESS;
}

/* The hints are not those of comm (MPI 5.0 section 7.4.2). */
static int duplicate(int fn, MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	struct ampi_shm_coll m;
	struct ampi_place p;
	struct ampi_comm *c;
	int error = ampi_make_open(&m, fn, comm, newcomm);
	if (error || (error = split(&m, 0, m.rank, &p)))
		return error;
	c = ampi_comm_new(m.comm, &p);
	if (!c)
		return ampi_no_memory(m.comm, fn);
	error = ampi_comm_inherit(m.comm, fn, c, info);
	if (error)
		ampi_comm_discard(c, fn);
	else
		*newcomm = handle_of(c);
	return error;
}

int ampi_Comm_dup(MPI_Comm comm, MPI_Comm *newcomm)
{
	return duplicate(AMPI_FN_MPI_Comm_dup, comm, MPI_INFO_NULL, newcomm);
}

int ampi_Comm_dup_with_info(MPI_Comm comm, MPI_Info info, MPI_Comm *newcomm)
{
	return duplicate(AMPI_FN_MPI_Comm_dup_with_info, comm, info, newcomm);
}

/* Within one group, disjoint groups may be made at once; the members of an intercommunicator's local group all give the same one. */
static int color_of(const struct ampi_comm *c, const struct ampi_members *g)
{
	if (g->me == AMPI_NO_MEMBER)
		return MPI_UNDEFINED;
	return c->is_inter ? 0 : g->ranks[0];
}

int ampi_Comm_create(MPI_Comm comm, MPI_Group group, MPI_Comm *newcomm)
{
	struct ampi_shm_coll m;
	struct ampi_members g;
	int error;
	if ((error = ampi_make_open(&m, AMPI_FN_MPI_Comm_create, comm, newcomm)) ||
	    (error = ampi_members_open(&g, m.comm, m.fn, group, "group")))
		return error;
	int color = color_of(m.comm, &g);
	error = ampi_members_within(&g, m.comm, m.fn);
	ampi_members_close(&g);
	return error ? error : ampi_split_to_handle(&m, color, g.me, newcomm);
}
