/* Graph topologies: what was given comes back; nodes may have loops and several edges to one neighbour. */
#include "check.h"

#define MAX_NODES 8
#define MAX_EDGES 32

struct graph {
	int nodes, index[MAX_NODES], edges[MAX_EDGES];
};

static int degree(const struct graph *g, int node)
{
	return g->index[node] - (node ? g->index[node - 1] : 0);
}

static void check_neighbours(MPI_Comm c, const struct graph *g, int node)
{
	int n = -1, from = node ? g->index[node - 1] : 0, got[MAX_EDGES + 1];
	MPI_Graph_neighbors_count(c, node, &n);
	CHECK_INT(n, degree(g, node));
	check_wipe(got, MAX_EDGES + 1);
	MPI_Graph_neighbors(c, node, n, got);
	for (int i = 0; i < n; i++)
		CHECK_INT(got[i], g->edges[from + i]);
	CHECK_INT(got[n], -1);
}

static void check_whole(MPI_Comm c, const struct graph *g)
{
	int kind, nodes, edges, index[MAX_NODES], list[MAX_EDGES];
	MPI_Topo_test(c, &kind);
	CHECK_INT(kind, MPI_GRAPH);
	MPI_Graphdims_get(c, &nodes, &edges);
	CHECK_INT(nodes, g->nodes);
	CHECK_INT(edges, g->index[g->nodes - 1]);
	MPI_Graph_get(c, MAX_NODES, MAX_EDGES, index, list);
	for (int i = 0; i < nodes; i++)
		CHECK_INT(index[i], g->index[i]);
	for (int i = 0; i < edges; i++)
		CHECK_INT(list[i], g->edges[i]);
	for (int i = 0; i < nodes; i++)
		check_neighbours(c, g, i);
}

static void check_graph(const struct graph *g)
{
	MPI_Comm c, copy;
	int n, me, mapped;
	if (g->nodes > size)
		return;
	MPI_Graph_map(WORLD, g->nodes, g->index, g->edges, &mapped);
	CHECK(mapped == MPI_UNDEFINED || (mapped >= 0 && mapped < g->nodes));
	MPI_Graph_create(WORLD, g->nodes, g->index, g->edges, 0, &c);
	CHECK((c != MPI_COMM_NULL) == (rank < g->nodes));
	if (c == MPI_COMM_NULL)
		return;
	MPI_Comm_size(c, &n);
	MPI_Comm_rank(c, &me);
	CHECK_INT(n, g->nodes);
	CHECK_INT(me, rank);
	check_whole(c, g);
	MPI_Comm_dup(c, &copy);
	MPI_Comm_free(&c);
	check_whole(copy, g);
	MPI_Comm_free(&copy);
}

/* A ring of all, and one whose order of ranks the library may choose. */
static void check_ring(int reorder)
{
	int *index = malloc(size * sizeof *index), *edges = malloc(2 * size * sizeof *edges), got[2], n;
	MPI_Comm c;
	for (int i = 0; i < size; i++) {
		index[i] = 2 * i + 2;
		edges[2 * i] = (i + size - 1) % size;
		edges[2 * i + 1] = (i + 1) % size;
	}
	MPI_Graph_create(WORLD, size, index, edges, reorder, &c);
	for (int i = 0; i < size; i++) {
		MPI_Graph_neighbors_count(c, i, &n);
		CHECK_INT(n, 2);
		MPI_Graph_neighbors(c, i, 2, got);
		CHECK_INT(got[0], edges[2 * i]);
		CHECK_INT(got[1], edges[2 * i + 1]);
	}
	MPI_Comm_free(&c);
	free(index);
	free(edges);
}

static void check_empty(void)
{
	MPI_Comm c = MPI_COMM_SELF;
	int none = 0;
	MPI_Graph_create(WORLD, 0, &none, &none, 0, &c);
	CHECK(c == MPI_COMM_NULL);
}

int main(int argc, char **argv)
{
	static const struct graph graphs[] = {
		{1, {0}, {0}}, /* one node, no edge */
		{1, {2}, {0, 0}}, /* two loops */
		{2, {1, 2}, {1, 0}},
		{2, {3, 6}, {1, 1, 0, 0, 0, 1}}, /* two edges between both, and loops */
		{3, {2, 2, 3}, {1, 2, 0}}, /* not symmetric, a node without edges */
		{4, {2, 3, 4, 6}, {1, 3, 0, 3, 0, 2}}, /* the standard's example */
		{5, {4, 5, 6, 7, 8}, {1, 2, 3, 4, 0, 0, 0, 0}}, /* a star */
	};
	check_begin(&argc, &argv);
	for (int i = 0; i < LEN(graphs); i++)
		check_graph(&graphs[i]);
	check_ring(0);
	check_ring(1);
	check_empty();
	return check_end("graph");
}
