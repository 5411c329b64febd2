/* Wrong arguments of topology and neighbourhood calls: refused by class, and the program goes on. Where the standard leaves it open which
 * class tells best, either of two will do. */
#include "check.h"

#define REFUSED(call, one, other) refused(check_class(call), one, other, #call)

static MPI_Comm grid, graph, dist, none;

static void refused(int class, int one, int other, const char *call)
{
	if (class != one && class != other)
		fprintf(stderr, "%s: class %d, not %d or %d\n", call, class, one, other);
	CHECK(class == one || class == other);
}

static void make(void)
{
	int one = 1, edge = 0, zero = 0;
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Cart_create(MPI_COMM_SELF, 1, &one, &zero, 0, &grid);
	MPI_Graph_create(MPI_COMM_SELF, 1, &one, &edge, 0, &graph);
	MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, &zero, MPI_UNWEIGHTED, 1, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &dist);
	MPI_Comm_dup(MPI_COMM_SELF, &none);
}

static void check_cart(void)
{
	int dims[2] = {1, 2}, wraps[2] = {0, 0}, a[2] = {0, 0}, x, y;
	MPI_Comm c = MPI_COMM_SELF;
	REFUSED(MPI_Cart_create(MPI_COMM_SELF, 2, dims, wraps, 0, &c), MPI_ERR_DIMS, MPI_ERR_ARG);
	CHECK(c == MPI_COMM_NULL);
	REFUSED(MPI_Cart_create(MPI_COMM_SELF, -1, dims, wraps, 0, &c), MPI_ERR_DIMS, MPI_ERR_ARG);
	REFUSED(MPI_Cart_create(MPI_COMM_SELF, 1, NULL, wraps, 0, &c), MPI_ERR_ARG, MPI_ERR_ARG);
	REFUSED(MPI_Cart_create(MPI_COMM_NULL, 1, dims, wraps, 0, &c), MPI_ERR_COMM, MPI_ERR_COMM);
	REFUSED(MPI_Cart_map(MPI_COMM_SELF, 2, dims, wraps, &x), MPI_ERR_DIMS, MPI_ERR_ARG);
	REFUSED(MPI_Cart_coords(grid, 1, 1, a), MPI_ERR_RANK, MPI_ERR_RANK);
	REFUSED(MPI_Cart_coords(grid, -1, 1, a), MPI_ERR_RANK, MPI_ERR_RANK);
	REFUSED(MPI_Cart_coords(grid, 0, 0, a), MPI_ERR_ARG, MPI_ERR_DIMS);
	a[0] = 1;
	REFUSED(MPI_Cart_rank(grid, a, &x), MPI_ERR_ARG, MPI_ERR_RANK);
	a[0] = -1;
	REFUSED(MPI_Cart_rank(grid, a, &x), MPI_ERR_ARG, MPI_ERR_RANK);
	REFUSED(MPI_Cart_rank(grid, NULL, &x), MPI_ERR_ARG, MPI_ERR_ARG);
	REFUSED(MPI_Cart_shift(grid, 1, 1, &x, &y), MPI_ERR_DIMS, MPI_ERR_ARG);
	REFUSED(MPI_Cart_shift(grid, -1, 1, &x, &y), MPI_ERR_DIMS, MPI_ERR_ARG);
}

static void check_graph(void)
{
	int index[2] = {1, 0}, low[1] = {-1}, a[2], x;
	MPI_Comm c;
	REFUSED(MPI_Graph_create(MPI_COMM_SELF, 2, index, low, 0, &c), MPI_ERR_ARG, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Graph_create(MPI_COMM_SELF, 1, index, low, 0, &c), MPI_ERR_ARG, MPI_ERR_RANK);
	REFUSED(MPI_Graph_create(MPI_COMM_SELF, 1, NULL, low, 0, &c), MPI_ERR_ARG, MPI_ERR_ARG);
	REFUSED(MPI_Graph_get(graph, 0, 1, a, a), MPI_ERR_ARG, MPI_ERR_ARG);
	REFUSED(MPI_Graph_get(graph, 1, 0, a, a), MPI_ERR_ARG, MPI_ERR_ARG);
	REFUSED(MPI_Graph_neighbors(graph, 1, 1, a), MPI_ERR_RANK, MPI_ERR_RANK);
	REFUSED(MPI_Graph_neighbors_count(graph, -1, &x), MPI_ERR_RANK, MPI_ERR_RANK);
}

static void check_dist(void)
{
	int zero = 0;
	MPI_Comm c;
	REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, -1, &zero, MPI_UNWEIGHTED, 0, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c), MPI_ERR_ARG,
		MPI_ERR_ARG);
	REFUSED(MPI_Dist_graph_create_adjacent(MPI_COMM_SELF, 1, NULL, MPI_UNWEIGHTED, 0, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c), MPI_ERR_ARG,
		MPI_ERR_ARG);
	REFUSED(MPI_Dist_graph_create(MPI_COMM_SELF, -1, &zero, &zero, &zero, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c), MPI_ERR_ARG, MPI_ERR_ARG);
}

/* Each call on a communicator that has no topology, or one of another kind. */
static void check_kinds(void)
{
	int a[4], b[4] = {0}, x, y, z;
	MPI_Comm c, others[3] = {none, graph, dist};
	for (int i = 0; i < 3; i++) {
		REFUSED(MPI_Cartdim_get(others[i], &x), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Cart_rank(others[i], b, &x), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Cart_coords(others[i], 0, 1, a), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Cart_shift(others[i], 0, 1, &x, &y), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Cart_sub(others[i], b, &c), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	}
	others[1] = grid;
	for (int i = 0; i < 3; i++) {
		REFUSED(MPI_Graphdims_get(others[i], &x, &y), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Graph_get(others[i], 1, 1, a, a), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Graph_neighbors(others[i], 0, 1, a), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Graph_neighbors_count(others[i], 0, &x), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	}
	others[2] = graph;
	for (int i = 0; i < 3; i++) {
		REFUSED(MPI_Dist_graph_neighbors_count(others[i], &x, &y, &z), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
		REFUSED(MPI_Dist_graph_neighbors(others[i], 1, a, a, 1, b, b), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	}
}

static void check_neighbours(void)
{
	int a[4] = {0}, b[4], n[2] = {-1, -1}, one[2] = {1, 1}, d[2] = {0, 0};
	MPI_Aint bytes[2] = {0, 0};
	MPI_Datatype types[2] = {MPI_INT, MPI_INT};
	MPI_Request q;
	REFUSED(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_INT, none), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Neighbor_allgatherv(a, 1, MPI_INT, b, one, d, MPI_INT, none), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, none), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Neighbor_alltoallv(a, one, d, MPI_INT, b, one, d, MPI_INT, none), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Neighbor_alltoallw(a, one, bytes, types, b, one, bytes, types, none), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Ineighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, none, &q), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Neighbor_alltoall_init(a, 1, MPI_INT, b, 1, MPI_INT, none, MPI_INFO_NULL, &q), MPI_ERR_TOPOLOGY, MPI_ERR_TOPOLOGY);
	REFUSED(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, MPI_COMM_NULL), MPI_ERR_COMM, MPI_ERR_COMM);
	REFUSED(MPI_Neighbor_alltoall(a, -1, MPI_INT, b, 1, MPI_INT, dist), MPI_ERR_COUNT, MPI_ERR_COUNT);
	REFUSED(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, -1, MPI_INT, dist), MPI_ERR_COUNT, MPI_ERR_COUNT);
	REFUSED(MPI_Neighbor_alltoall(a, 1, MPI_DATATYPE_NULL, b, 1, MPI_INT, dist), MPI_ERR_TYPE, MPI_ERR_TYPE);
	REFUSED(MPI_Neighbor_allgather(a, 1, MPI_INT, b, 1, MPI_DATATYPE_NULL, dist), MPI_ERR_TYPE, MPI_ERR_TYPE);
	REFUSED(MPI_Neighbor_alltoallv(a, n, d, MPI_INT, b, one, d, MPI_INT, dist), MPI_ERR_COUNT, MPI_ERR_COUNT);
	/* It goes on: a loop of one edge. */
	a[0] = 5;
	CHECK_INT(MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, dist), MPI_SUCCESS);
	CHECK_INT(b[0], 5);
}

int main(int argc, char **argv)
{
	int x;
	check_begin(&argc, &argv);
	make();
	check_cart();
	check_graph();
	check_dist();
	check_kinds();
	check_neighbours();
	REFUSED(MPI_Topo_test(MPI_COMM_NULL, &x), MPI_ERR_COMM, MPI_ERR_COMM);
	return check_end("topo_errors");
}
