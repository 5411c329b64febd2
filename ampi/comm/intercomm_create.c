/* Intercommunicators of two groups that do not know each other yet (MPI 5.0 section 7.6.2): their leaders agree, then tell. */
#include "ampi/comm/comm_make.h"

/* ---- the leaders ---- */

/* What the leader with the higher rank in MPI_COMM_WORLD offers: its group, in its slice. */
struct offer {
	const int32_t *ranks;
	int32_t n;
};

/* What the other one made of it. */
struct answer {
	struct ampi_team *team, *remote; /* the asker's own and the other */
	int32_t error; /* class */
};

static int overlap(const struct ampi_members *a, const struct offer *b)
{
	char *in = vr_rank_calloc(vr_current, vr_job->ranks, 1);
	int found = 0;
	if (!in)
		return MPI_ERR_NO_MEM;
	for (int i = 0; i < a->n; i++)
		in[a->ranks[i]] = 1;
	for (int i = 0; i < b->n; i++)
		found |= in[b->ranks[i]];
	vr_rank_free(vr_current, in);
	return found ? MPI_ERR_COMM : MPI_SUCCESS;
}

/* Make both teams; `own` is what this side gets, `other` what the other one does. */
static void answer_offer(const struct ampi_members *g, const struct offer *o, struct answer *own, struct answer *other)
{
	struct ampi_team *team[2] = {NULL, NULL};
	int error = overlap(g, o);
	if (!error && ampi_team_make_pair((const int32_t *const[]){g->ranks, o->ranks}, (int32_t[]){g->n, o->n}, ampi_context_new(), team))
		error = MPI_ERR_NO_MEM;
	*own = (struct answer){team[0], team[1], error};
	*other = (struct answer){team[1], team[0], error};
}

static int leaders_agree(const struct ampi_link *l, const struct ampi_members *g, struct answer *a)
{
	struct offer o = {g->ranks, g->n};
	struct answer other;
	if (vr_current->id > l->peer_world)
		return ampi_link_send(l, &o, sizeof o) || ampi_link_recv(l, a, sizeof *a) ? -1 : 0;
	if (ampi_link_recv(l, &o, sizeof o))
		return -1;
	answer_offer(g, &o, a, &other);
	return ampi_link_send(l, &other, sizeof other);
}

void ampi_leaders_agree(const struct ampi_link *l, const struct ampi_members *g, struct ampi_place *p)
{
	struct answer a = {.error = MPI_ERR_NO_MEM};
	if (leaders_agree(l, g, &a))
		a.error = MPI_ERR_NO_MEM;
	*p = (struct ampi_place){.team = a.team, .remote = a.remote, .error = a.error};
}

/* ---- the call ---- */

/* Where the other leader is, by the arguments that count at the leader only. */
static int link_open(struct ampi_link *l, struct ampi_comm *local, int fn, MPI_Comm peer_comm, int remote_leader, int tag)
{
	struct ampi_comm *peer = ampi_comm(peer_comm);
	if (!peer)
		return ampi_raise(local, MPI_ERR_COMM, fn, "peer_comm (handle 0x%lx) is not a communicator, or was freed", (unsigned long)peer_comm);
	if ((uint32_t)remote_leader >= (uint32_t)ampi_peer_count(peer))
		return ampi_raise(local, MPI_ERR_RANK, fn, "remote_leader is %d, in a communicator of %d", remote_leader, ampi_peer_count(peer));
	if (tag < 0)
		return ampi_raise(local, MPI_ERR_TAG, fn, "tag is %d", tag);
	int32_t world = ampi_peer_world(peer, remote_leader);
	if (world == vr_current->id)
		return ampi_raise(local, MPI_ERR_RANK, fn, "remote_leader is %d, which is the local leader itself", remote_leader);
	*l = (struct ampi_link){peer->context + AMPI_CONTEXT_OWN, vr_current->id, world, world, tag, fn};
	return MPI_SUCCESS;
}

static int local_members(struct ampi_members *g, struct ampi_comm *c, int fn)
{
	*g = (struct ampi_members){.ranks = vr_rank_alloc(vr_current, c->size * sizeof *g->ranks), .n = c->size, .me = c->rank};
	if (!g->ranks)
		return ampi_no_memory(c, fn);
	for (int i = 0; i < c->size; i++)
		g->ranks[i] = ampi_to_world(c, i);
	return MPI_SUCCESS;
}

/* What the leader has for all members of its group. The class of what it raised itself. */
static int lead(struct ampi_shm_coll *m, MPI_Comm peer_comm, int remote_leader, int tag, struct ampi_place *p)
{
	struct ampi_link l;
	struct ampi_members g = {0};
	int error = link_open(&l, m->comm, m->fn, peer_comm, remote_leader, tag);
	if (!error)
		error = local_members(&g, m->comm, m->fn);
	*p = (struct ampi_place){.error = error};
	if (!error)
		ampi_leaders_agree(&l, &g, p);
	ampi_members_close(&g);
	return error;
}

/* The leader's place, in all members. Those who came with an error have raised it. Switches. */
static int hear_leader(struct ampi_shm_coll *m, int leader, struct ampi_place *p)
{
	ampi_shm_coll_begin(m, AMPI_COLL_INTERCOMM, leader, 0);
	if (m->rank == leader)
		*ampi_place_of(m, leader) = *p;
	ampi_shm_coll_join(m);
	*p = *ampi_place_of(m, leader);
	p->rank = m->rank;
	return ampi_shm_coll_end(m);
}

int ampi_raise_agreed(struct ampi_comm *c, int fn, int klass)
{
	if (klass == MPI_ERR_COMM)
		return ampi_raise(c, klass, fn, "the two groups have a member in common, or the local leader's peer_comm is no communicator");
	if (klass == MPI_ERR_NO_MEM)
		return ampi_raise(c, klass, fn, "no memory for the new communicator in a leader's slice or in the job's arena");
	return ampi_raise(c, klass, fn, "the call failed in the local leader");
}

int ampi_Intercomm_create(MPI_Comm local_comm, int local_leader, MPI_Comm peer_comm, int remote_leader, int tag, MPI_Comm *newcomm)
{
	struct ampi_shm_coll m;
	struct ampi_place p;
	int own = MPI_SUCCESS, error = ampi_make_open(&m, AMPI_FN_MPI_Intercomm_create, local_comm, newcomm);
	if (error)
		return error;
	if (m.comm->is_inter)
		return ampi_raise(m.comm, MPI_ERR_COMM, m.fn, "local_comm is an intercommunicator");
	if ((uint32_t)local_leader >= (uint32_t)m.size)
		return ampi_raise(m.comm, MPI_ERR_RANK, m.fn, "local_leader is %d, in a communicator of %d", local_leader, m.size);
	if (m.rank == local_leader)
		own = lead(&m, peer_comm, remote_leader, tag, &p);
	if ((error = hear_leader(&m, local_leader, &p)))
		return error;
	if (p.error)
		return own ? own : ampi_raise_agreed(m.comm, m.fn, p.error);
	return ampi_make_handle(m.comm, m.fn, &p, newcomm);
}
