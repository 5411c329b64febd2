/* Shared by the programs about neighbourhood collectives: topologies of all kinds, and the same exchange by messages. */
#ifndef NEIGHBOR_H
#define NEIGHBOR_H

#include "check.h"

#define MAX_NEIGHBORS 40
#define MAX_BLOCK 4 /* ints that an edge carries at most */

struct topology {
	MPI_Comm comm; /* MPI_COMM_NULL: this rank is not in it */
	int rank, cart;
	int nsources, ndestinations;
	int sources[MAX_NEIGHBORS], destinations[MAX_NEIGHBORS];
};

/* What one edge carries. */
struct block {
	int n, values[MAX_BLOCK];
};

static inline void topology_cart(struct topology *t, int n, const int *dims, const int *wraps)
{
	*t = (struct topology){.cart = 1};
	MPI_Cart_create(WORLD, n, dims, wraps, 0, &t->comm);
	if (t->comm == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(t->comm, &t->rank);
	for (int i = 0; i < n; i++)
		MPI_Cart_shift(t->comm, i, 1, &t->sources[2 * i], &t->sources[2 * i + 1]);
	t->nsources = t->ndestinations = 2 * n;
	memcpy(t->destinations, t->sources, sizeof t->sources);
}

static inline void topology_graph(struct topology *t, int nodes, const int *index, const int *edges)
{
	*t = (struct topology){.cart = 0};
	MPI_Graph_create(WORLD, nodes, index, edges, 0, &t->comm);
	if (t->comm == MPI_COMM_NULL)
		return;
	MPI_Comm_rank(t->comm, &t->rank);
	MPI_Graph_neighbors_count(t->comm, t->rank, &t->nsources);
	MPI_Graph_neighbors(t->comm, t->rank, MAX_NEIGHBORS, t->sources);
	t->ndestinations = t->nsources;
	memcpy(t->destinations, t->sources, sizeof t->sources);
}

static inline void topology_dist(struct topology *t)
{
	int weighted;
	MPI_Comm_rank(t->comm, &t->rank);
	MPI_Dist_graph_neighbors_count(t->comm, &t->nsources, &t->ndestinations, &weighted);
	MPI_Dist_graph_neighbors(t->comm, MAX_NEIGHBORS, t->sources, MPI_UNWEIGHTED, MAX_NEIGHBORS, t->destinations, MPI_UNWEIGHTED);
}

/* Edges that rank + 1 has, given by this one: n of them. */
static inline void topology_of_next(struct topology *t, int n, int *to)
{
	int of = (rank + 1) % size;
	*t = (struct topology){.cart = 0};
	MPI_Dist_graph_create(WORLD, 1, &of, &n, to, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &t->comm);
	topology_dist(t);
}

/* Every rank has edges to itself, twice to the next one, and to a few others. */
static inline void topology_multiple(struct topology *t, int salt)
{
	int to[5], of = (rank + 1) % size;
	for (int i = 0; i < 5; i++)
		to[i] = i < 2 ? (of + 1) % size : i == 2 ? of : (of + check_value(salt, i)) % size;
	topology_of_next(t, 5, to);
}

/* Every rank has edges to a few ranks in a row, not the same number everywhere. */
static inline void topology_spread(struct topology *t, int salt)
{
	int to[5], n = (rank + salt) % 5 + 1;
	if (n > size)
		n = size;
	for (int i = 0; i < n; i++)
		to[i] = (rank + salt + i) % size;
	topology_of_next(t, n, to);
}

/* A tree: rank i hears from (i - 1) / 2 and speaks to 2 i + 1 and 2 i + 2. */
static inline void topology_tree(struct topology *t)
{
	int up = (rank - 1) / 2, down[2] = {2 * rank + 1, 2 * rank + 2};
	*t = (struct topology){.cart = 0};
	int n = (down[0] < size) + (down[1] < size);
	MPI_Dist_graph_create_adjacent(WORLD, rank > 0, &up, MPI_UNWEIGHTED, n, down, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &t->comm);
	topology_dist(t);
}

/* The exchange by messages. Several edges between two ranks are matched in the order that both have them, except in a grid,
 * where what goes down comes from above. */
static inline void exchange_by_hand(const struct topology *t, const struct block *out, struct block *in)
{
	MPI_Request q[2 * MAX_NEIGHBORS];
	int n = 0;
	for (int i = 0; i < t->nsources; i++)
		MPI_Irecv(&in[i], sizeof in[i], MPI_BYTE, t->sources[i], t->cart ? i : 0, t->comm, &q[n++]);
	for (int i = 0; i < t->ndestinations; i++)
		MPI_Isend(&out[i], sizeof out[i], MPI_BYTE, t->destinations[i], t->cart ? i ^ 1 : 0, t->comm, &q[n++]);
	MPI_Waitall(n, q, MPI_STATUSES_IGNORE);
}

typedef void exchange_fn(const struct topology *t);

static inline void topology_use(struct topology *t, exchange_fn *f)
{
	if (t->comm == MPI_COMM_NULL)
		return;
	f(t);
	MPI_Comm_free(&t->comm);
}

/* Rings of one and two are for small_grids. */
static inline void grids(exchange_fn *f)
{
	struct topology t;
	for (int n = 1; n <= 3; n++)
		for (int wraps = 0; wraps < 1 << n; wraps++) {
			int dims[3] = {0}, w[3];
			MPI_Dims_create(size, n, dims);
			for (int i = 0; i < n; i++)
				w[i] = (wraps >> i & 1) && dims[i] > 2;
			topology_cart(&t, n, dims, w);
			topology_use(&t, f);
		}
	topology_cart(&t, 0, NULL, NULL);
	topology_use(&t, f);
}

/* Dimensions of one and two places that wrap: one rank is the neighbour on both sides. */
static inline void small_grids(exchange_fn *f)
{
	static const int dims[][3] = {{1, 1, 1}, {2, 1, 1}, {1, 2, 1}, {2, 2, 1}, {3, 1, 2}}, wraps[] = {1, 1, 1};
	struct topology t;
	for (int i = 0; i < LEN(dims); i++)
		if (dims[i][0] * dims[i][1] * dims[i][2] <= size) {
			topology_cart(&t, 3, dims[i], wraps);
			topology_use(&t, f);
		}
}

static inline void graphs(exchange_fn *f)
{
	static const int index1[] = {1}, edges1[] = {0};
	static const int index4[] = {3, 5, 7, 9}, edges4[] = {1, 2, 3, 0, 2, 0, 1, 3, 0};
	struct topology t;
	topology_graph(&t, 1, index1, edges1);
	topology_use(&t, f);
	if (size >= 4) {
		topology_graph(&t, 4, index4, edges4);
		topology_use(&t, f);
	}
}

/* Several edges between two nodes, and loops. */
static inline void multigraphs(exchange_fn *f)
{
	static const int index1[] = {3}, edges1[] = {0, 0, 0};
	static const int index2[] = {4, 7}, edges2[] = {1, 0, 1, 1, 0, 0, 0};
	struct topology t;
	topology_graph(&t, 1, index1, edges1);
	topology_use(&t, f);
	if (size >= 2) {
		topology_graph(&t, 2, index2, edges2);
		topology_use(&t, f);
	}
	for (int salt = 0; salt < 3; salt++) {
		topology_multiple(&t, salt);
		topology_use(&t, f);
	}
}

static inline void dist_graphs(exchange_fn *f)
{
	struct topology t;
	for (int salt = 0; salt < 3; salt++) {
		topology_spread(&t, salt);
		topology_use(&t, f);
	}
	topology_tree(&t);
	topology_use(&t, f);
}

#endif
