/* Teams: the members of a communicator, grouped by PE, in memory that all of them share. */
#include "coll.h"

#include <stddef.h>
#include <string.h>

#define HALF_MIN 8192

static int32_t world_rank(const struct ampi_team *t, int32_t rank)
{
	return t->world ? t->world[rank] : rank;
}

static int pe_of(const struct ampi_team *t, int32_t rank)
{
	return atomic_load_explicit(&vr_rank_of(world_rank(t, rank))->pe, memory_order_relaxed);
}

/* ---- grouping ---- */

static void wake_leader(struct vr_work *w)
{
	struct ampi_part *p = (struct ampi_part *)((char *)w - offsetof(struct ampi_part, wake));
	vr_rank_ready(p->leader);
}

static void count_parts(struct ampi_team *t, int32_t *on_pe)
{
	memset(on_pe, 0, vr_job->pes * sizeof *on_pe);
	for (int i = 0; i < t->size; i++)
		on_pe[pe_of(t, i)]++;
}

/* Parts in the order of their PEs, each with its stretch of t->members still empty. */
static void place_parts(struct ampi_team *t, const int32_t *on_pe)
{
	int32_t *at = t->members;
	t->nparts = 0;
	for (int pe = 0; pe < vr_job->pes; pe++) {
		t->part_of_pe[pe] = -1;
		if (!on_pe[pe])
			continue;
		struct ampi_part *p = &t->part[t->nparts];
		t->part_of_pe[pe] = t->nparts++;
		p->pe = pe;
		p->n = 0;
		p->members = at;
		p->wake.run = wake_leader;
		at += on_pe[pe];
	}
}

static int is_ordered(const struct ampi_team *t)
{
	for (int i = 1; i < t->nparts; i++)
		if (t->part[i].members[0] < t->part[i - 1].members[t->part[i - 1].n - 1])
			return 0;
	return 1;
}

void ampi_team_regroup(struct ampi_team *t)
{
	int32_t on_pe[VR_MAX_PES];
	uint32_t rounds = t->nparts ? t->part[0].rounds : 0;
	count_parts(t, on_pe);
	place_parts(t, on_pe);
	for (int i = 0; i < t->size; i++) {
		struct ampi_part *p = &t->part[t->part_of_pe[pe_of(t, i)]];
		((int32_t *)p->members)[p->n++] = i;
	}
	for (int i = 0; i < t->nparts; i++)
		t->part[i].rounds = rounds;
	t->ordered = is_ordered(t);
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
	return n < vr_job->pes ? n : vr_job->pes;
}

static size_t team_bytes(const int32_t *world, int32_t n)
{
	return sizeof(struct ampi_team) + most_parts(n) * sizeof(struct ampi_part) + (world ? 2 : 1) * n * sizeof(int32_t) +
	       vr_job->pes * sizeof(int16_t);
}

static void team_init(struct ampi_team *t, const int32_t *world, int32_t n, uint32_t context)
{
	int32_t *after = (int32_t *)&t->part[most_parts(n)];
	t->bytes = team_bytes(world, n);
	t->size = n;
	t->refs = n;
	t->context = context;
	t->half = half_of(n);
	t->members = after;
	if (world)
		t->world = memcpy(after + n, world, n * sizeof *world);
	t->part_of_pe = (int16_t *)(after + (world ? 2 : 1) * n);
	ampi_team_regroup(t);
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
	char *board = atomic_load(&t->board), *matrix = atomic_load(&t->matrix);
	if (board)
		vr_arena_free(board, 2 * t->half);
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

/* A team of one never sleeps or wakes anybody, so all ranks of this worker take turns with one that is the worker's own. */
struct ampi_team *ampi_team_self(void)
{
	static struct {
		struct ampi_team team;
		struct ampi_part part;
	} self;
	static alignas(VR_LINE) char board[2 * 1024];
	static int32_t member;
	static int16_t part_of_pe[VR_MAX_PES];
	if (!self.team.size) {
		self.team.members = &member;
		self.team.part_of_pe = part_of_pe;
		self.team.half = sizeof board / 2;
		self.team.ordered = 1;
		self.team.nparts = 1;
		self.team.context = AMPI_CONTEXT_SELF;
		self.team.part[0] = (struct ampi_part){.n = 1, .members = &member};
		atomic_store(&self.team.board, board);
		self.team.size = 1;
	}
	return &self.team;
}
