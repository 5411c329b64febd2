/* Teams: the members of a communicator, grouped by PE, in memory that all of them share. */
#include "ampi/coll/coll.h"

#include <stddef.h>
#include <string.h>

#define HALF_MIN 8192

static int32_t world_rank(const struct ampi_team *t, int32_t rank)
{
	return t->world ? t->world[rank] : rank;
}

static int pe_of(const struct ampi_team *t, int32_t rank)
{
	return vr_owner(vr_rank_of(world_rank(t, rank)));
}

/* ---- grouping ---- */

/* The leader may have moved. */
static void wake_leader(struct vr_work *w)
{
	struct ampi_part *p = (struct ampi_part *)((char *)w - offsetof(struct ampi_part, wake));
	vr_rank_wake(p->leader);
}

/* Parts in the order of their PEs, each with its stretch of g->members still empty. */
static void place_parts(struct ampi_grouping *g, const int32_t *on_pe, int16_t *part_of_pe, uint32_t rounds)
{
	int32_t *at = g->members;
	g->nparts = 0;
	for (int pe = 0; pe < vr_job->pes; pe++) {
		if (!on_pe[pe])
			continue;
		part_of_pe[pe] = g->nparts;
		g->part[g->nparts++] = (struct ampi_part){.pe = pe, .members = at, .rounds = rounds, .wake.run = wake_leader};
		at += on_pe[pe];
	}
}

/* Members may move meanwhile, so each is asked once where it is. A restart may have brought more PEs than there is room for: members of those
 * beyond are away from then on. */
static void group(const struct ampi_team *t, struct ampi_grouping *g, uint32_t rounds)
{
	int32_t on_pe[VR_MAX_PES];
	int16_t part_of_pe[VR_MAX_PES];
	memset(on_pe, 0, vr_job->pes * sizeof *on_pe);
	for (int i = 0; i < t->size; i++)
		on_pe[g->part_of[i] = pe_of(t, i) % t->room]++;
	place_parts(g, on_pe, part_of_pe, rounds);
	for (int i = 0; i < t->size; i++) {
		struct ampi_part *p = &g->part[g->part_of[i] = part_of_pe[g->part_of[i]]];
		((int32_t *)p->members)[p->n++] = i;
	}
}

void ampi_team_regroup(struct ampi_team *t)
{
	struct ampi_grouping *old = ampi_team_grouping(t);
	struct ampi_grouping *next = &t->grouping[old == &t->grouping[0]];
	atomic_store_explicit(&t->stale, 0, memory_order_relaxed);
	group(t, next, old->part[0].rounds + 1);
	atomic_store_explicit(&t->now, next, memory_order_release);
}

/* ---- making ---- */

static int64_t half_of(int32_t n)
{
	int64_t slots = (int64_t)n * sizeof(struct ampi_slot), least = n < 8 ? n * 1024 : HALF_MIN;
	return slots > least ? slots : least;
}

/* Members may come to sit on any PE, so there is room for as many parts as that can make. */
static int most_parts(int32_t n)
{
	return n < vr_job->room ? n : vr_job->room;
}

static size_t grouping_bytes(int32_t n)
{
	size_t bytes = most_parts(n) * sizeof(struct ampi_part) + n * (sizeof(int32_t) + sizeof(int16_t));
	return (bytes + VR_LINE - 1) & -VR_LINE;
}

static size_t team_bytes(const int32_t *world, int32_t n)
{
	return sizeof(struct ampi_team) + 2 * grouping_bytes(n) + (world ? n * sizeof *world : 0);
}

static void grouping_init(struct ampi_grouping *g, void *memory, int32_t n)
{
	g->part = memory;
	g->members = (int32_t *)(g->part + most_parts(n));
	g->part_of = (int16_t *)(g->members + n);
}

static void team_init(struct ampi_team *t, const int32_t *world, int32_t n, uint32_t context)
{
	char *after = (char *)(t + 1);
	t->bytes = team_bytes(world, n);
	t->size = n;
	t->room = vr_job->room;
	t->refs = n;
	t->context = context;
	t->half = half_of(n);
	for (int i = 0; i < 2; i++, after += grouping_bytes(n))
		grouping_init(&t->grouping[i], after, n);
	if (world)
		t->world = memcpy(after, world, n * sizeof *world);
	group(t, &t->grouping[0], 0);
	t->now = &t->grouping[0];
}

static int is_identity(const int32_t *world, int32_t n)
{
	for (int i = 0; i < n; i++)
		if (world[i] != i)
			return 0;
	return 1;
}

static struct ampi_team *team_new(const int32_t *world, int32_t n, uint32_t context)
{
	struct ampi_team *t = vr_arena_alloc(team_bytes(world, n));
	if (t)
		team_init(t, world, n, context);
	return t;
}

struct ampi_team *ampi_team_make(const int32_t *world, int32_t n, uint32_t context)
{
	return team_new(world && is_identity(world, n) ? NULL : world, n, context);
}

static void team_free(struct ampi_team *t)
{
	char *staging = atomic_load(&t->staging), *matrix = atomic_load(&t->matrix);
	if (staging)
		vr_arena_free(staging, 2 * t->half);
	if (matrix)
		vr_arena_free(matrix, 2 * ampi_matrix_half(t));
	vr_arena_free(t, t->bytes);
}

/* Both keep their lists of ranks, for those who send to them. */
int ampi_team_make_pair(const int32_t *const world[2], const int32_t n[2], uint32_t context, struct ampi_team *out[2])
{
	for (int i = 0; i < 2; i++) {
		out[i] = team_new(world[i], n[i], context);
		if (out[i])
			out[i]->refs += n[!i];
	}
	if (out[0] && out[1])
		return 0;
	for (int i = 0; i < 2; i++)
		if (out[i])
			team_free(out[i]);
	return -1;
}

void ampi_team_release(struct ampi_team *t)
{
	if (atomic_fetch_sub(&t->refs, 1) == 1)
		team_free(t);
}

/* ---- predefined communicators ---- */

struct ampi_team *ampi_team_world(void)
{
	void *t = atomic_load(&vr_job->world_team), *none = NULL;
	if (t)
		return t;
	struct ampi_team *made = ampi_team_make(NULL, vr_job->ranks, AMPI_CONTEXT_WORLD);
	if (!made || atomic_compare_exchange_strong(&vr_job->world_team, &none, made))
		return made;
	team_free(made);
	return none;
}

/* A team of one never sleeps or wakes anybody, so all ranks of this worker take turns with one that is the worker's own. It is there from the
 * start: a rank may come with the address that it has in all workers before any rank has asked here. */
static struct ampi_team self;
static alignas(VR_LINE) char self_staging[2 * 1024];
static int32_t self_member;
static int16_t self_part_of;
static struct ampi_part self_part = {.n = 1, .members = &self_member};
static struct ampi_team self = {
	.size = 1,
	.room = 1,
	.half = sizeof self_staging / 2,
	.context = AMPI_CONTEXT_SELF,
	.staging = self_staging,
	.grouping = {{.nparts = 1, .members = &self_member, .part_of = &self_part_of, .part = &self_part}},
	.now = &self.grouping[0],
};

struct ampi_team *ampi_team_self(void)
{
	return &self;
}
