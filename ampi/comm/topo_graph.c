/* Graph topologies (MPI 5.0 sections 8.5.3, 8.5.5, 8.5.6): every member knows all edges of all nodes. */
#include "ampi/comm/topo.h"

#include <string.h>

static int first_edge(const int *index, int node)
{
	return node ? index[node - 1] : 0;
}

/* ---- making one ---- */

static int check_index(struct ampi_comm *c, int fn, int nnodes, const int *index)
{
	for (int i = 0; i < nnodes; i++)
		if (index[i] < first_edge(index, i))
			return ampi_raise(c, MPI_ERR_ARG, fn, "index[%d] is %d, less than the one before", i, index[i]);
	return MPI_SUCCESS;
}

static int check_edges(struct ampi_comm *c, int fn, int nnodes, const int *edges, int nedges)
{
	for (int i = 0; i < nedges; i++)
		if ((uint32_t)edges[i] >= (uint32_t)nnodes)
			return ampi_raise(c, MPI_ERR_ARG, fn, "edges[%d] is %d, in a graph of %d nodes", i, edges[i], nnodes);
	return MPI_SUCCESS;
}

/* A graph that the communicator can fill. */
static int check_graph(struct ampi_comm *c, int fn, int nnodes, const int *index, const int *edges)
{
	int error;
	if (nnodes < 0 || nnodes > c->size)
		return ampi_raise(c, MPI_ERR_ARG, fn, "nnodes is %d, in a communicator of %d", nnodes, c->size);
	if (!nnodes)
		return MPI_SUCCESS;
	if (!index)
		return ampi_null_array(c, fn, "index");
	if ((error = check_index(c, fn, nnodes, index)))
		return error;
	if (index[nnodes - 1] && !edges)
		return ampi_null_array(c, fn, "edges");
	return check_edges(c, fn, nnodes, edges, index[nnodes - 1]);
}

static struct ampi_topology *graph_new(int nnodes, const int *index, const int *edges, int rank)
{
	int nedges = index[nnodes - 1];
	struct ampi_topology *t = ampi_topology_new(MPI_GRAPH, (int64_t)nnodes + nedges);
	if (!t)
		return NULL;
	t->graph = (struct ampi_graph){nnodes, nedges, t->room, t->room + nnodes};
	memcpy(t->graph.index, index, nnodes * sizeof *index);
	if (nedges)
		memcpy(t->graph.edges, edges, nedges * sizeof *edges);
	t->sources = t->destinations = t->graph.edges + first_edge(index, rank);
	t->nsources = t->ndestinations = index[rank] - first_edge(index, rank);
	return t;
}

int ampi_Graph_create(MPI_Comm comm, int nnodes, const int index[], const int edges[], int reorder, MPI_Comm *newcomm)
{
	const int fn = AMPI_FN_MPI_Graph_create;
	struct ampi_topology *t = NULL;
	struct ampi_comm *c;
	int error;
	(void)reorder;
	if ((error = ampi_topology_parent(fn, comm, newcomm, &c)) || (error = check_graph(c, fn, nnodes, index, edges)))
		return error;
	int in = c->rank < nnodes;
	if (in && !(t = graph_new(nnodes, index, edges, c->rank)))
		return ampi_no_memory(c, fn);
	return ampi_topology_attach(fn, c, in ? 0 : MPI_UNDEFINED, c->rank, t, newcomm);
}

int ampi_Graph_map(MPI_Comm comm, int nnodes, const int index[], const int edges[], int *newrank)
{
	const int fn = AMPI_FN_MPI_Graph_map;
	struct ampi_comm *c = ampi_comm(comm);
	int error;
	if (!c)
		return ampi_bad_comm(comm, fn);
	if ((error = ampi_check_intra(c, fn)) || (error = check_graph(c, fn, nnodes, index, edges)))
		return error;
	if (!newrank)
		return ampi_null_array(c, fn, "newrank");
	*newrank = c->rank < nnodes ? c->rank : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

/* ---- asking ---- */

int ampi_Graphdims_get(MPI_Comm comm, int *nnodes, int *nedges)
{
	const int fn = AMPI_FN_MPI_Graphdims_get;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_GRAPH, &c);
	if (error)
		return error;
	if (!nnodes || !nedges)
		return ampi_null_array(c, fn, nnodes ? "nedges" : "nnodes");
	*nnodes = c->topology->graph.nnodes;
	*nedges = c->topology->graph.nedges;
	return MPI_SUCCESS;
}

int ampi_Graph_get(MPI_Comm comm, int maxindex, int maxedges, int index[], int edges[])
{
	const int fn = AMPI_FN_MPI_Graph_get;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_GRAPH, &c);
	if (error)
		return error;
	const struct ampi_graph *g = &c->topology->graph;
	if (maxindex < g->nnodes)
		return ampi_raise(c, MPI_ERR_ARG, fn, "maxindex is %d, the graph has %d nodes", maxindex, g->nnodes);
	if (maxedges < g->nedges)
		return ampi_raise(c, MPI_ERR_ARG, fn, "maxedges is %d, the graph has %d edges", maxedges, g->nedges);
	if (!index || (g->nedges && !edges))
		return ampi_null_array(c, fn, index ? "edges" : "index");
	memcpy(index, g->index, g->nnodes * sizeof *index);
	if (g->nedges)
		memcpy(edges, g->edges, g->nedges * sizeof *edges);
	return MPI_SUCCESS;
}

/* The graph, when rank is one of its nodes. */
static int open_node(int fn, MPI_Comm comm, int rank, struct ampi_comm **out)
{
	int error = ampi_topology_open(fn, comm, MPI_GRAPH, out);
	if (error || (uint32_t)rank < (uint32_t)(*out)->size)
		return error;
	return ampi_raise(*out, MPI_ERR_RANK, fn, "rank is %d, in a communicator of %d", rank, (*out)->size);
}

int ampi_Graph_neighbors_count(MPI_Comm comm, int rank, int *nneighbors)
{
	const int fn = AMPI_FN_MPI_Graph_neighbors_count;
	struct ampi_comm *c;
	int error = open_node(fn, comm, rank, &c);
	if (error)
		return error;
	if (!nneighbors)
		return ampi_null_array(c, fn, "nneighbors");
	const int *index = c->topology->graph.index;
	*nneighbors = index[rank] - first_edge(index, rank);
	return MPI_SUCCESS;
}

/* The first maxneighbors of them, when there are more. */
int ampi_Graph_neighbors(MPI_Comm comm, int rank, int maxneighbors, int neighbors[])
{
	const int fn = AMPI_FN_MPI_Graph_neighbors;
	struct ampi_comm *c;
	int error = open_node(fn, comm, rank, &c);
	if (error)
		return error;
	if (maxneighbors < 0)
		return ampi_raise(c, MPI_ERR_ARG, fn, "maxneighbors is %d", maxneighbors);
	const struct ampi_graph *g = &c->topology->graph;
	int from = first_edge(g->index, rank), n = g->index[rank] - from;
	if (n > maxneighbors)
		n = maxneighbors;
	if (n && !neighbors)
		return ampi_null_array(c, fn, "neighbors");
	if (n)
		memcpy(neighbors, g->edges + from, n * sizeof *neighbors);
	return MPI_SUCCESS;
}
