/* Communicators by their group alone (MPI 5.0 section 7.4.2): its first member makes the team and tells the others. */
#include "ampi/comm/comm_make.h"

/* ---- groups as lists of ranks of MPI_COMM_WORLD ---- */

static int group_ranks(struct ampi_comm *c, int fn, MPI_Group group, const char *name, struct ampi_members *g)
{
	uint64_t args[] = {(uint64_t)group, 0, (uint64_t)&g->n, (uint64_t)&g->session};
	if (group == MPI_GROUP_NULL)
		return ampi_raise(c, MPI_ERR_GROUP, fn, "%s is MPI_GROUP_NULL", name);
	int klass = ampi_serve_class(AMPI_FN_GROUP_RANKS, args, 4);
	if (klass)
		return ampi_raise(c, klass, fn, "%s", vr_context->call.text);
	if (!g->n)
		return MPI_SUCCESS;
	g->ranks = vr_rank_alloc(vr_current, g->n * sizeof *g->ranks);
	if (!g->ranks)
		return ampi_no_memory(c, fn);
	args[1] = (uint64_t)g->ranks;
	return ampi_serve_class(AMPI_FN_GROUP_RANKS, args, 4);
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
		return ampi_no_memory(c, fn);
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

/* ---- telling: all by their ranks in MPI_COMM_WORLD, whatever they are called in a communicator ---- */

void ampi_spread(struct ampi_link *l, const struct ampi_members *g, int root, struct ampi_place *p)
{
	if (g->me != root) {
		l->peer = l->peer_world = g->ranks[root];
		if (ampi_link_recv(l, p, sizeof *p))
			*p = (struct ampi_place){.error = MPI_ERR_NO_MEM};
	}
	for (int i = 0; g->me == root && i < g->n; i++) {
		l->peer = l->peer_world = g->ranks[i];
		if (i != root && ampi_link_send(l, p, sizeof *p))
			p->error = MPI_ERR_NO_MEM;
	}
	p->rank = g->me;
}

int ampi_group_create(struct ampi_comm *parent, struct ampi_link *l, const struct ampi_members *g, MPI_Comm *newcomm)
{
	struct ampi_place p = {0};
	if (g->me == 0) {
		p.team = ampi_team_make(g->ranks, g->n, ampi_context_new());
		p.error = p.team ? MPI_SUCCESS : MPI_ERR_NO_MEM;
	}
	ampi_spread(l, g, 0, &p);
	return p.error ? ampi_raise_agreed(parent, l->fn, p.error) : ampi_make_handle(parent, l->fn, &p, newcomm);
}

int ampi_Comm_create_group(MPI_Comm comm, MPI_Group group, int tag, MPI_Comm *newcomm)
{
	struct ampi_shm_coll m;
	struct ampi_members g;
	int error = ampi_make_open(&m, AMPI_FN_MPI_Comm_create_group, comm, newcomm);
	if (error)
		return error;
	if (tag < 0)
		return ampi_raise(m.comm, MPI_ERR_TAG, m.fn, "tag is %d", tag);
	if (m.comm->is_inter)
		return ampi_raise(m.comm, MPI_ERR_COMM, m.fn, "comm is an intercommunicator");
	if ((error = ampi_members_open(&g, m.comm, m.fn, group, "group")))
		return error;
	struct ampi_link l = {.context = m.comm->context + AMPI_CONTEXT_OWN, .source = vr_current->id, .tag = tag, .fn = m.fn};
	if (g.me != AMPI_NO_MEMBER && !(error = ampi_members_within(&g, m.comm, m.fn)))
		error = ampi_group_create(m.comm, &l, &g, newcomm);
	ampi_members_close(&g);
	return error;
}
