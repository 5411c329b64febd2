/* Intercommunicators (MPI 5.0 section 7.6): made from two groups, split and duplicated across them, merged. */
#include "ampi/comm/comm_make.h"

#include <string.h>

/* ---- the last leaders of both groups come together ---- */

/* The one that comes first waits here, on its stack; the other reads it and works for both. */
struct crossing {
	struct ampi_shm_coll *call;
	struct vr_context *context;
};

static _Atomic(void *) *shm_coll_of(const struct ampi_comm *c)
{
	return c->team < c->remote_team ? &c->team->crossing : &c->remote_team->crossing;
}

static void wait_for_other(struct ampi_shm_coll *m)
{
	vr_context->wait = (struct vr_wait){.fn = m->fn, .peer = VR_NOBODY, .context = m->comm->context, .members = m->size + m->comm->remote_size};
	vr_rank_block();
}

static void work_for_both(struct ampi_shm_coll *first, struct ampi_shm_coll *second, const struct ampi_maker *maker)
{
	struct ampi_shm_coll *side[2] = {first, second};
	if (second->team < first->team)
		side[0] = second, side[1] = first;
	if (ampi_shm_coll_failed(first) || ampi_shm_coll_failed(second) || first->key.kind != second->key.kind) {
		ampi_shm_coll_fail(first, MPI_ERR_OTHER);
		ampi_shm_coll_fail(second, MPI_ERR_OTHER);
		return;
	}
	maker->across(side);
}

void ampi_cross(struct ampi_shm_coll *m, const struct ampi_maker *maker)
{
	struct crossing me = {.call = m, .context = vr_context}, *first;
	_Atomic(void *) *point = shm_coll_of(m->comm);
	void *none = NULL;
	if (atomic_compare_exchange_strong(point, &none, &me)) {
		wait_for_other(m);
		return;
	}
	first = none;
	work_for_both(first->call, m, maker);
	atomic_store(point, NULL);
	vr_rank_wake(first->context);
}

/* ---- teams of two groups ---- */

static void fail_both(struct ampi_shm_coll *side[2], int klass)
{
	ampi_shm_coll_fail(side[0], klass);
	ampi_shm_coll_fail(side[1], klass);
}

static void seats_to_world(struct ampi_shm_coll *m, const struct ampi_seat *seats, int n, int32_t *world)
{
	for (int i = 0; i < n; i++)
		world[i] = ampi_to_world(m->comm, seats[i].rank);
}

static void give_places(struct ampi_shm_coll *m, const struct ampi_seat *seats, int n, struct ampi_team *team, struct ampi_team *remote)
{
	for (int i = 0; i < n; i++) {
		struct ampi_place *p = ampi_place_of(m, seats[i].rank);
		p->team = team;
		p->remote = remote;
		p->rank = i;
	}
}

/* Seats of one color, of both sides. */
static void make_pair(struct ampi_shm_coll *side[2], struct ampi_seat *const seats[2], const int n[2], int32_t *world)
{
	struct ampi_team *team[2];
	const int32_t *worlds[2] = {world, world + n[0]};
	for (int i = 0; i < 2; i++)
		seats_to_world(side[i], seats[i], n[i], world + i * n[0]);
	if (ampi_team_make_pair(worlds, n, ampi_context_new(), team)) {
		fail_both(side, MPI_ERR_NO_MEM);
		return;
	}
	for (int i = 0; i < 2; i++)
		give_places(side[i], seats[i], n[i], team[i], team[!i]);
}

/* Colors are in ascending order on both sides; one that only one side has makes nothing. */
static void match_colors(struct ampi_shm_coll *side[2], struct ampi_seat *seats[2], int left[2], int32_t *world)
{
	while (left[0] && left[1]) {
		int n[2] = {ampi_seats_end(seats[0], left[0]), ampi_seats_end(seats[1], left[1])};
		int32_t a = seats[0]->color, b = seats[1]->color;
		if (a == b)
			make_pair(side, seats, n, world);
		for (int i = 0; i < 2; i++)
			if (a == b || (i == 0) == (a < b)) {
				seats[i] += n[i];
				left[i] -= n[i];
			}
	}
}

void ampi_split_across(struct ampi_shm_coll *side[2])
{
	int total = side[0]->size + side[1]->size;
	struct ampi_seat *seats = vr_rank_alloc(vr_current, total * (sizeof *seats + sizeof(int32_t)));
	if (!seats) {
		fail_both(side, MPI_ERR_NO_MEM);
		return;
	}
	struct ampi_seat *of[2] = {seats, seats + side[0]->size};
	int n[2] = {ampi_seats_collect(side[0], 0, of[0]), ampi_seats_collect(side[1], 1, of[1])};
	match_colors(side, of, n, (int32_t *)(seats + total));
	vr_rank_free(vr_current, seats);
}

/* ---- merging ---- */

/* The high argument that all members of a group gave; -1 when they differ. */
static int common_high(struct ampi_shm_coll *m)
{
	int high = ampi_place_of(m, 0)->key;
	for (int i = 1; i < m->size; i++)
		if (ampi_place_of(m, i)->key != high)
			return -1;
	return high;
}

static int32_t *put_ranks(struct ampi_shm_coll *m, int32_t *world)
{
	for (int i = 0; i < m->size; i++)
		*world++ = ampi_to_world(m->comm, i);
	return world;
}

static void give_all(struct ampi_shm_coll *m, struct ampi_team *team, int32_t first)
{
	for (int i = 0; i < m->size; i++) {
		struct ampi_place *p = ampi_place_of(m, i);
		p->team = team;
		p->remote = NULL;
		p->rank = first + i;
	}
}

/* Of groups that are equally high, the one whose first member is lower in MPI_COMM_WORLD comes first. */
static int low_side(struct ampi_shm_coll *side[2], const int high[2])
{
	if (high[0] != high[1])
		return high[0] > high[1];
	return ampi_to_world(side[0]->comm, 0) > ampi_to_world(side[1]->comm, 0);
}

static void merge_across(struct ampi_shm_coll *side[2])
{
	int high[2] = {common_high(side[0]), common_high(side[1])}, n = side[0]->size + side[1]->size;
	if (high[0] < 0 || high[1] < 0) {
		fail_both(side, MPI_ERR_ARG);
		return;
	}
	int low = low_side(side, high);
	int32_t *world = vr_rank_alloc(vr_current, n * sizeof *world);
	if (world)
		put_ranks(side[!low], put_ranks(side[low], world));
	struct ampi_team *team = world ? ampi_team_make(world, n, ampi_context_new()) : NULL;
	vr_rank_free(vr_current, world);
	if (!team)
		fail_both(side, MPI_ERR_NO_MEM);
	give_all(side[low], team, 0);
	give_all(side[!low], team, side[low]->size);
}

static int check_inter(struct ampi_comm *c, int fn)
{
	return c->is_inter ? MPI_SUCCESS : ampi_raise(c, MPI_ERR_COMM, fn, "intercomm is not an intercommunicator");
}

int ampi_Intercomm_merge(MPI_Comm intercomm, int high, MPI_Comm *newcomm)
{
	static const struct ampi_maker maker = {AMPI_COLL_MERGE, NULL, merge_across};
	struct ampi_shm_coll m;
	struct ampi_place p;
	int error;
	if ((error = ampi_make_open(&m, AMPI_FN_MPI_Intercomm_merge, intercomm, newcomm)) || (error = check_inter(m.comm, m.fn)) ||
	    (error = ampi_make_shm_coll(&m, &maker, 0, high != 0, &p)))
		return error;
	return ampi_make_handle(m.comm, m.fn, &p, newcomm);
}
