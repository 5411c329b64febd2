/* Distributed graph topologies (MPI 5.0 sections 8.5.4, 8.5.5): every member knows its own neighbours only. */
#include "ampi/comm/topo.h"

#include <string.h>

/* Weights as a program gives them: its array, MPI_UNWEIGHTED, or MPI_WEIGHTS_EMPTY where there is nothing to weigh. */
static int has_weights(const int *weights)
{
	return weights != MPI_UNWEIGHTED && weights != MPI_WEIGHTS_EMPTY;
}

static void set_weights(int32_t *to, const int *from, int n)
{
	for (int i = 0; i < n; i++)
		to[i] = from && has_weights(from) ? from[i] : 1;
}

static struct ampi_topology *dist_new(int indegree, int outdegree, int weighted)
{
	struct ampi_topology *t = ampi_topology_new(MPI_DIST_GRAPH, 2 * ((int64_t)indegree + outdegree));
	if (!t)
		return NULL;
	t->nsources = indegree;
	t->ndestinations = outdegree;
	t->sources = t->room;
	t->destinations = t->sources + indegree;
	t->dist = (struct ampi_dist_graph){weighted, t->destinations + outdegree, t->destinations + outdegree + indegree};
	return t;
}

/* ---- arguments: names are those of the call ---- */

static int check_ranks(struct ampi_comm *c, int fn, const char *name, const int *ranks, int n)
{
	if (n && !ranks)
		return ampi_null_array(c, fn, name);
	for (int i = 0; i < n; i++)
		if ((uint32_t)ranks[i] >= (uint32_t)c->size)
			return ampi_raise(c, MPI_ERR_RANK, fn, "%s[%d] is %d, in a communicator of %d", name, i, ranks[i], c->size);
	return MPI_SUCCESS;
}

static int check_weights(struct ampi_comm *c, int fn, const char *name, const int *weights, int n)
{
	if (!n || weights == MPI_UNWEIGHTED)
		return MPI_SUCCESS;
	if (weights == MPI_WEIGHTS_EMPTY)
		return ampi_raise(c, MPI_ERR_ARG, fn, "%s is MPI_WEIGHTS_EMPTY, for %d edges", name, n);
	if (!weights)
		return ampi_null_array(c, fn, name);
	for (int i = 0; i < n; i++)
		if (weights[i] < 0)
			return ampi_raise(c, MPI_ERR_ARG, fn, "%s[%d] is %d", name, i, weights[i]);
	return MPI_SUCCESS;
}

static int check_degree(struct ampi_comm *c, int fn, const char *name, int n)
{
	return n >= 0 ? MPI_SUCCESS : ampi_raise(c, MPI_ERR_ARG, fn, "%s is %d", name, n);
}

/* ---- each member says who its neighbours are ---- */

static int check_side(struct ampi_comm *c, int fn, int n, const char *ranks_name, const int *ranks, const char *weights_name, const int *weights)
{
	int error = check_ranks(c, fn, ranks_name, ranks, n);
	return error ? error : check_weights(c, fn, weights_name, weights, n);
}

/* Both or none, as far as there is anything to weigh. */
static int check_both(struct ampi_comm *c, int fn, int indegree, const int *sourceweights, int outdegree, const int *destweights)
{
	int one = sourceweights == MPI_UNWEIGHTED, other = destweights == MPI_UNWEIGHTED;
	if (one == other || !indegree || !outdegree)
		return MPI_SUCCESS;
	return ampi_raise(c, MPI_ERR_ARG, fn, "only one of sourceweights and destweights is MPI_UNWEIGHTED");
}

int ampi_Dist_graph_create_adjacent(MPI_Comm comm, int indegree, const int sources[], const int sourceweights[], int outdegree,
				    const int destinations[], const int destweights[], MPI_Info info, int reorder, MPI_Comm *newcomm)
{
	const int fn = AMPI_FN_MPI_Dist_graph_create_adjacent;
	struct ampi_comm *c;
	int error;
	(void)info, (void)reorder;
	if ((error = ampi_topology_parent(fn, comm, newcomm, &c)) || (error = check_degree(c, fn, "indegree", indegree)) ||
	    (error = check_degree(c, fn, "outdegree", outdegree)) ||
	    (error = check_side(c, fn, indegree, "sources", sources, "sourceweights", sourceweights)) ||
	    (error = check_side(c, fn, outdegree, "destinations", destinations, "destweights", destweights)) ||
	    (error = check_both(c, fn, indegree, sourceweights, outdegree, destweights)))
		return error;
	int weighted = sourceweights != MPI_UNWEIGHTED && destweights != MPI_UNWEIGHTED;
	struct ampi_topology *t = dist_new(indegree, outdegree, weighted);
	if (!t)
		return ampi_no_memory(c, fn);
	if (indegree)
		memcpy(t->sources, sources, indegree * sizeof *sources);
	if (outdegree)
		memcpy(t->destinations, destinations, outdegree * sizeof *destinations);
	set_weights(t->dist.source_weights, sourceweights, indegree);
	set_weights(t->dist.destination_weights, destweights, outdegree);
	return ampi_topology_attach(fn, c, 0, c->rank, t, newcomm);
}

/* ---- any member says any edges: the last one to arrive sorts all of them, then each takes its own ---- */

struct edge {
	int32_t source, destination, weight;
};

/* What the sorter leaves for the others: the edges that end in a member, member by member, then those that start there. Of the
 * edges of one member those that a lower rank gave come first. */
struct sorted {
	int32_t failed, weighted;
	struct edge *edges; /* 2 * n of them */
	int64_t *start; /* 2 * size + 1: where a member's begin in edges */
};

/* What a member offers: a header in front of its edges. */
struct offer {
	int64_t n;
	int32_t weighted;
	struct edge edges[];
};

static struct offer *offer_new(int n, const int *sources, const int *degrees, const int *destinations, const int *weights, int64_t edges)
{
	struct offer *o = vr_rank_alloc(vr_current, sizeof *o + edges * sizeof *o->edges);
	if (!o)
		return NULL;
	o->n = 0;
	o->weighted = weights != MPI_UNWEIGHTED;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < degrees[i]; k++, o->n++)
			o->edges[o->n] = (struct edge){sources[i], destinations[o->n], weights && has_weights(weights) ? weights[o->n] : 1};
	return o;
}

static const struct offer *offer_of(struct ampi_shm_coll *m, int rank)
{
	return (const struct offer *)ampi_shm_coll_slots(m)[rank].block.data;
}

/* Where each edge belongs: at its end, and at its start. */
static int64_t bin_in(const struct edge *e)
{
	return e->destination;
}

static int64_t bin_out(const struct ampi_shm_coll *m, const struct edge *e)
{
	return (int64_t)m->size + e->source;
}

static void count_edges(struct ampi_shm_coll *m, struct sorted *s)
{
	for (int r = 0; r < m->size; r++) {
		const struct offer *o = offer_of(m, r);
		s->weighted |= o->n && o->weighted;
		for (int64_t i = 0; i < o->n; i++) {
			s->start[bin_in(&o->edges[i]) + 1]++;
			s->start[bin_out(m, &o->edges[i]) + 1]++;
		}
	}
	for (int i = 0; i < 2 * m->size; i++)
		s->start[i + 1] += s->start[i];
}

/* Moves each start to the next one's place, which is set right afterwards. */
static void place_edges(struct ampi_shm_coll *m, struct sorted *s)
{
	for (int r = 0; r < m->size; r++) {
		const struct offer *o = offer_of(m, r);
		for (int64_t i = 0; i < o->n; i++) {
			s->edges[s->start[bin_in(&o->edges[i])]++] = o->edges[i];
			s->edges[s->start[bin_out(m, &o->edges[i])]++] = o->edges[i];
		}
	}
	memmove(s->start + 1, s->start, 2 * m->size * sizeof *s->start);
	s->start[0] = 0;
}

/* NULL without memory. Lives to the end of the call. */
static struct sorted *sorted_new(struct ampi_shm_coll *m)
{
	int64_t edges = 0;
	for (int r = 0; r < m->size; r++)
		edges += offer_of(m, r)->n;
	int64_t starts = (2 * (int64_t)m->size + 1) * sizeof(int64_t);
	struct sorted *s = m->copy[1] = vr_rank_calloc(vr_current, 1, sizeof *s + starts + 2 * edges * sizeof(struct edge));
	if (!s)
		return NULL;
	s->start = (int64_t *)(s + 1);
	s->edges = (struct edge *)((char *)s->start + starts);
	return s;
}

static void sort_edges(struct ampi_shm_coll *m)
{
	struct sorted *s = sorted_new(m);
	if (!s) {
		ampi_shm_coll_fail(m, MPI_ERR_NO_MEM);
		return;
	}
	count_edges(m, s);
	/* Nobody gave an edge, so whoever spoke of weights decides. */
	for (int r = 0; r < m->size && !s->start[2 * m->size]; r++)
		s->weighted |= offer_of(m, r)->weighted;
	place_edges(m, s);
	m->round->block.data = (const char *)s;
}

static struct ampi_topology *take_edges(struct ampi_shm_coll *m)
{
	const struct sorted *s = (const struct sorted *)m->round->block.data;
	const int64_t *in = &s->start[m->rank], *out = &s->start[m->size + m->rank];
	struct ampi_topology *t = dist_new((int)(in[1] - in[0]), (int)(out[1] - out[0]), s->weighted);
	for (int i = 0; t && i < t->nsources; i++) {
		t->sources[i] = s->edges[in[0] + i].source;
		t->dist.source_weights[i] = s->edges[in[0] + i].weight;
	}
	for (int i = 0; t && i < t->ndestinations; i++) {
		t->destinations[i] = s->edges[out[0] + i].destination;
		t->dist.destination_weights[i] = s->edges[out[0] + i].weight;
	}
	return t;
}

/* Members exchange edges; *t is what this one has of them. Switches. */
static int exchange(struct ampi_shm_coll *m, struct offer *o, struct ampi_topology **t)
{
	*t = NULL;
	ampi_shm_coll_begin(m, AMPI_COLL_DIST_GRAPH, -1, 0);
	ampi_shm_coll_hold(m);
	m->copy[0] = o;
	if (!o)
		ampi_shm_coll_fail(m, MPI_ERR_NO_MEM);
	ampi_shm_coll_slots(m)[m->rank].block = (struct ampi_block){(const char *)o, 0};
	if (ampi_shm_coll_arrive(m)) {
		if (ampi_shm_coll_leaders(m)) {
			if (!ampi_shm_coll_failed(m))
				sort_edges(m);
			ampi_shm_coll_release_leaders(m);
		}
		ampi_shm_coll_release(m);
	}
	if (!ampi_shm_coll_failed(m) && !(*t = take_edges(m)))
		m->error = MPI_ERR_NO_MEM;
	int error = ampi_shm_coll_end(m);
	if (error)
		ampi_topology_release(*t);
	return error;
}

/* *edges is how many this member gives. */
static int check_edges(struct ampi_comm *c, int fn, int n, const int *sources, const int *degrees, const int *destinations,
		       const int *weights, int64_t *edges)
{
	int error = check_degree(c, fn, "n", n);
	*edges = 0;
	if (error || (error = check_ranks(c, fn, "sources", sources, n)))
		return error;
	if (n && !degrees)
		return ampi_null_array(c, fn, "degrees");
	for (int i = 0; i < n; i++, *edges += degrees[i - 1])
		if (degrees[i] < 0)
			return ampi_raise(c, MPI_ERR_ARG, fn, "degrees[%d] is %d", i, degrees[i]);
	if (*edges > INT32_MAX)
		return ampi_raise(c, MPI_ERR_ARG, fn, "degrees add up to %lld edges", (long long)*edges);
	if ((error = check_ranks(c, fn, "destinations", destinations, (int)*edges)))
		return error;
	return check_weights(c, fn, "weights", weights, (int)*edges);
}

int ampi_Dist_graph_create(MPI_Comm comm, int n, const int sources[], const int degrees[], const int destinations[], const int weights[],
			   MPI_Info info, int reorder, MPI_Comm *newcomm)
{
	const int fn = AMPI_FN_MPI_Dist_graph_create;
	struct ampi_shm_coll m;
	struct ampi_topology *t;
	int64_t edges;
	int error;
	(void)info, (void)reorder;
	if ((error = ampi_topology_parent(fn, comm, newcomm, &m.comm)) ||
	    (error = check_edges(m.comm, fn, n, sources, degrees, destinations, weights, &edges)) || (error = ampi_shm_coll_open(&m, fn, comm)))
		return error;
	if ((error = exchange(&m, offer_new(n, sources, degrees, destinations, weights, edges), &t)))
		return error;
	return ampi_topology_attach(fn, m.comm, 0, m.rank, t, newcomm);
}

/* ---- asking ---- */

int ampi_Dist_graph_neighbors_count(MPI_Comm comm, int *indegree, int *outdegree, int *weighted)
{
	const int fn = AMPI_FN_MPI_Dist_graph_neighbors_count;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_DIST_GRAPH, &c);
	if (error)
		return error;
	if (!indegree || !outdegree || !weighted)
		return ampi_null_array(c, fn, !indegree ? "indegree" : !outdegree ? "outdegree" : "weighted");
	*indegree = c->topology->nsources;
	*outdegree = c->topology->ndestinations;
	*weighted = c->topology->dist.weighted;
	return MPI_SUCCESS;
}

/* The first `room` of n neighbours and, where there are any, their weights. */
static void give(int room, int n, const int32_t *ranks, const int32_t *weights, int *out, int *out_weights)
{
	size_t bytes = (room < n ? room : n) * sizeof *out;
	if (!bytes)
		return;
	memcpy(out, ranks, bytes);
	if (weights && out_weights && has_weights(out_weights))
		memcpy(out_weights, weights, bytes);
}

int ampi_Dist_graph_neighbors(MPI_Comm comm, int maxindegree, int sources[], int sourceweights[], int maxoutdegree, int destinations[],
			      int destweights[])
{
	const int fn = AMPI_FN_MPI_Dist_graph_neighbors;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_DIST_GRAPH, &c);
	if (error || (error = check_degree(c, fn, "maxindegree", maxindegree)) || (error = check_degree(c, fn, "maxoutdegree", maxoutdegree)))
		return error;
	const struct ampi_topology *t = c->topology;
	const struct ampi_dist_graph *g = &t->dist;
	if (maxindegree && t->nsources && !sources)
		return ampi_null_array(c, fn, "sources");
	if (maxoutdegree && t->ndestinations && !destinations)
		return ampi_null_array(c, fn, "destinations");
	give(maxindegree, t->nsources, t->sources, g->weighted ? g->source_weights : NULL, sources, sourceweights);
	give(maxoutdegree, t->ndestinations, t->destinations, g->weighted ? g->destination_weights : NULL, destinations, destweights);
	return MPI_SUCCESS;
}
