/* Topologies as objects, and the calls that every kind of them has. */
#include "ampi/comm/topo.h"

struct ampi_topology *ampi_topology_new(int kind, int64_t n)
{
	struct ampi_topology *t = vr_rank_calloc(vr_current, 1, sizeof *t + n * sizeof *t->room);
	if (t) {
		t->kind = kind;
		t->refs = 1;
	}
	return t;
}

struct ampi_topology *ampi_topology_hold(struct ampi_topology *t)
{
	if (t)
		t->refs++;
	return t;
}

void ampi_topology_release(struct ampi_topology *t)
{
	if (t && !--t->refs)
		vr_rank_free(vr_current, t);
}

int ampi_null_array(struct ampi_comm *c, int fn, const char *name)
{
	return ampi_raise(c, MPI_ERR_ARG, fn, "%s is a null pointer", name);
}

/* ---- which communicator ---- */

static const char *kind_name(int kind)
{
	switch (kind) {
	case MPI_CART:
		return "a Cartesian topology";
	case MPI_GRAPH:
		return "a graph topology";
	case MPI_DIST_GRAPH:
		return "a distributed graph topology";
	}
	return "no topology";
}

static int other_kind(struct ampi_comm *c, int fn, int kind)
{
	int has = c->topology ? c->topology->kind : MPI_UNDEFINED;
	if (!kind)
		return ampi_raise(c, MPI_ERR_TOPOLOGY, fn, "comm has no topology, so no neighbours");
	return ampi_raise(c, MPI_ERR_TOPOLOGY, fn, "comm has %s, not %s", kind_name(has), kind_name(kind));
}

int ampi_topology_open(int fn, MPI_Comm comm, int kind, struct ampi_comm **out)
{
	struct ampi_comm *c = *out = ampi_comm(comm);
	if (vr_unlikely(!c))
		return ampi_bad_comm(comm, fn);
	if (vr_unlikely(!c->topology || (kind && c->topology->kind != kind)))
		return other_kind(c, fn, kind);
	return ampi_check_intra(c, fn); /* a duplicate that is still being made has the topology already */
}

int ampi_topology_parent(int fn, MPI_Comm comm, MPI_Comm *newcomm, struct ampi_comm **out)
{
	struct ampi_comm *c = *out = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	if (!newcomm)
		return ampi_null_array(c, fn, "the place for the new communicator");
	*newcomm = MPI_COMM_NULL;
	return ampi_check_intra(c, fn);
}

/* ---- giving a communicator its topology ---- */

int ampi_topology_attach(int fn, struct ampi_comm *parent, int color, int key, struct ampi_topology *t, MPI_Comm *newcomm)
{
	struct ampi_shm_coll m;
	int error = ampi_shm_coll_open(&m, fn, (MPI_Comm)(uint64_t)parent->handle);
	if (!error)
		error = ampi_split_to_handle(&m, color, key, newcomm);
	if (error || *newcomm == MPI_COMM_NULL)
		ampi_topology_release(t);
	else
		ampi_comm(*newcomm)->topology = t;
	return error;
}

int ampi_Topo_test(MPI_Comm comm, int *status)
{
	const int fn = AMPI_FN_MPI_Topo_test;
	struct ampi_comm *c = ampi_comm(comm);
	if (!c)
		return ampi_bad_comm(comm, fn);
	if (!status)
		return ampi_null_array(c, fn, "status");
	*status = c->topology ? c->topology->kind : MPI_UNDEFINED;
	return MPI_SUCCESS;
}
