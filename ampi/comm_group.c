/* Communicators by their group alone (MPI 5.0 section 7.4.2): its first member makes the team and tells the others. */
#include "comm_make.h"

/* ---- groups as lists of ranks of MPI_COMM_WORLD ---- */

static int group_ranks(struct ampi_comm *c, int fn, MPI_Group group, const char *name, struct ampi_members *g)
{
	uint64_t args[3] = {(uint64_t)group, 0, (uint64_t)&g->n};
	if (group == MPI_GROUP_NULL)
		return ampi_raise(c, MPI_ERR_GROUP, fn, "%s is MPI_GROUP_NULL", name);
	int error = ampi_serve(AMPI_FN_GROUP_RANKS, args, 3);
	if (error || !g->n)
		return error;
	g->ranks = vr_rank_alloc(vr_current, g->n * sizeof *g->ranks);
	if (!g->ranks)
		return ampi_no_slice(c, fn);
	args[1] = (uint64_t)g->ranks;
	return ampi_serve(AMPI_FN_GROUP_RANKS, args, 3);
}

int ampi_members_open(struct ampi_members *g, struct ampi_comm *c, int fn, MPI_Group group, const char *name)
{
	*g = (struct ampi_members){.me = AMPI_NO_MEMBER};
	int error = group_ranks(c, fn, group, name, g);
	for (int i = 0; !error && i < g->n; i++)
		if (g->ranks[i] == vr_current->id)
			g->me = i;
	if (error)
		ampi_members_close(g);
	return error;
}

void ampi_members_close(struct ampi_members *g)
{
	if (g->ranks)
		vr_rank_free(vr_current, g->ranks);
	g->ranks = NULL;
}

int ampi_members_within(const struct ampi_members *g, struct ampi_comm *c, int fn)
{
	char *in = vr_rank_calloc(vr_current, vr_job->ranks, 1);
	int outside = AMPI_NO_MEMBER;
	if (!in)
		return ampi_no_slice(c, fn);
	for (int i = 0; i < c->size; i++)
		in[ampi_to_world(c, i)] = 1;
	for (int i = g->n - 1; i >= 0; i--)
		if (!in[g->ranks[i]])
			outside = i;
	vr_rank_free(vr_current, in);
	if (outside == AMPI_NO_MEMBER)
		return MPI_SUCCESS;
	return ampi_raise(c, MPI_ERR_GROUP, fn, "member %d of group is not in comm", outside);
}

/* ---- telling ---- */

/* The team that the first member makes, NULL without memory: the others hear of that, too. */
static struct ampi_team *make_and_tell(struct ampi_link *l, const struct ampi_members *g, const int32_t *names)
{
	struct ampi_team *team = ampi_team_make(g->ranks, g->n, ampi_context_new());
	for (int i = 1; i < g->n; i++) {
		l->peer = names[i];
		l->peer_world = g->ranks[i];
		if (ampi_link_send(l, &team, sizeof team))
			return NULL;
	}
	return team;
}

static struct ampi_team *hear(struct ampi_link *l, const struct ampi_members *g, const int32_t *names)
{
	struct ampi_team *team = NULL;
	l->peer = names[0];
	l->peer_world = g->ranks[0];
	return ampi_link_recv(l, &team, sizeof team) ? NULL : team;
}

static int create_group(struct ampi_comm *c, int fn, const struct ampi_members *g, int tag, MPI_Comm *newcomm)
{
	/* World ranks serve as names of members: source and destination need be the same words for both only. */
	struct ampi_link l = {.context = c->context + 1, .source = vr_current->id, .tag = tag, .fn = fn};
	struct ampi_place p = {.rank = g->me, .team = g->me ? hear(&l, g, g->ranks) : make_and_tell(&l, g, g->ranks)};
	return p.team ? ampi_make_handle(c, fn, &p, newcomm) : ampi_no_slice(c, fn);
}

int ampi_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
	struct ampi_meet m;
	struct ampi_members g;
	int error = ampi_make_open(&m, AMPI_FN_MPI_Comm_create_group, comm, newcomm);
	if (error)
		return error;
	if (tag < 0)
		return ampi_raise(m.comm, MPI_ERR_TAG, m.fn, "tag is %d", tag);
	if ((error = ampi_check_intra(m.comm, m.fn)) || (error = ampi_members_open(&g, m.comm, m.fn, group, "group")))
		return error;
	if (g.me != AMPI_NO_MEMBER)
		error = ampi_members_within(&g, m.comm, m.fn);
	if (!error && g.me != AMPI_NO_MEMBER)
		error = create_group(m.comm, m.fn, &g, tag, newcomm);
	ampi_members_close(&g);
	return error;
}
