/* Cartesian topologies (MPI 5.0 sections 8.5.1, 8.5.5, 8.5.6): the rank of a place is its number in row-major order. */
#include "ampi/comm/topo.h"

/* ---- places and ranks ---- */

static int64_t product(const int *dims, int n)
{
	int64_t p = 1;
	for (int i = 0; i < n; i++)
		p *= dims[i];
	return p;
}

static void coords_of(const struct ampi_cart *g, int rank, int *coords)
{
	for (int i = g->ndims - 1; i >= 0; i--) {
		coords[i] = rank % g->dims[i];
		rank /= g->dims[i];
	}
}

/* A coordinate in a dimension: itself, wrapped, or -1 outside. */
static int64_t place(const struct ampi_cart *g, int i, int64_t at)
{
	int64_t n = g->dims[i];
	if (at >= 0 && at < n)
		return at;
	return g->periods[i] ? (at % n + n) % n : -1;
}

/* MPI_PROC_NULL when the coordinates are outside of a dimension that does not wrap. */
static int32_t rank_at(const struct ampi_cart *g, const int *coords)
{
	int64_t rank = 0;
	for (int i = 0; i < g->ndims; i++) {
		int64_t at = place(g, i, coords[i]);
		if (at < 0)
			return MPI_PROC_NULL;
		rank = rank * g->dims[i] + at;
	}
	return (int32_t)rank;
}

/* Who is `by` places further on than this rank. */
static int32_t neighbour(const struct ampi_cart *g, int rank, int direction, int64_t by)
{
	int64_t at = place(g, direction, g->coords[direction] + by);
	if (at < 0)
		return MPI_PROC_NULL;
	return rank + (int32_t)((at - g->coords[direction]) * product(&g->dims[direction + 1], g->ndims - direction - 1));
}

/* ---- making one ---- */

/* In each dimension, who is before and who is behind (MPI 5.0 section 8.6). */
static void set_neighbours(struct ampi_topology *t, int rank)
{
	const struct ampi_cart *g = &t->cart;
	for (int i = 0; i < g->ndims; i++) {
		t->sources[2 * i] = neighbour(g, rank, i, -1);
		t->sources[2 * i + 1] = neighbour(g, rank, i, 1);
	}
	t->nsources = t->ndestinations = 2 * g->ndims;
	t->destinations = t->sources;
}

/* A grid with this rank in it; NULL without memory. */
static struct ampi_topology *cart_new(int ndims, const int *dims, const int *periods, int rank)
{
	struct ampi_topology *t = ampi_topology_new(MPI_CART, 5 * (int64_t)ndims);
	if (!t)
		return NULL;
	t->cart = (struct ampi_cart){ndims, t->room, t->room + ndims, t->room + 2 * ndims};
	t->sources = t->room + 3 * ndims;
	for (int i = 0; i < ndims; i++) {
		t->cart.dims[i] = dims[i];
		t->cart.periods[i] = periods[i] != 0;
	}
	coords_of(&t->cart, rank, t->cart.coords);
	set_neighbours(t, rank);
	return t;
}

/* A grid that the communicator can fill; *size is how many places it has. */
static int check_grid(struct ampi_comm *c, int fn, int ndims, const int *dims, const int *periods, int *size)
{
	int64_t n = 1;
	if (ndims < 0)
		return ampi_raise(c, MPI_ERR_DIMS, fn, "ndims is %d", ndims);
	if (ndims && (!dims || !periods))
		return ampi_null_array(c, fn, dims ? "periods" : "dims");
	for (int i = 0; i < ndims; i++) {
		if (dims[i] <= 0)
			return ampi_raise(c, MPI_ERR_DIMS, fn, "dims[%d] is %d", i, dims[i]);
		if ((n *= dims[i]) > c->size)
			return ampi_raise(c, MPI_ERR_DIMS, fn, "dims make a grid that is larger than the communicator of %d", c->size);
	}
	*size = (int)n;
	return MPI_SUCCESS;
}

int ampi_Cart_create(MPI_Comm comm, int ndims, const int dims[], const int periods[], int reorder, MPI_Comm *newcomm)
{
	const int fn = AMPI_FN_MPI_Cart_create;
	struct ampi_topology *t = NULL;
	struct ampi_comm *c;
	int error, size;
	(void)reorder; /* ranks of a row already share a worker as far as they can: neighbours in the last dimension are near */
	if ((error = ampi_topology_parent(fn, comm, newcomm, &c)) || (error = check_grid(c, fn, ndims, dims, periods, &size)))
		return error;
	int in = c->rank < size;
	if (in && !(t = cart_new(ndims, dims, periods, c->rank)))
		return ampi_no_memory(c, fn);
	return ampi_topology_attach(fn, c, in ? 0 : MPI_UNDEFINED, c->rank, t, newcomm);
}

int ampi_Cart_map(MPI_Comm comm, int ndims, const int dims[], const int periods[], int *newrank)
{
	const int fn = AMPI_FN_MPI_Cart_map;
	struct ampi_comm *c = ampi_comm(comm);
	int error, size;
	if (!c)
		return ampi_bad_comm(comm, fn);
	if ((error = ampi_check_intra(c, fn)) || (error = check_grid(c, fn, ndims, dims, periods, &size)))
		return error;
	if (!newrank)
		return ampi_null_array(c, fn, "newrank");
	*newrank = c->rank < size ? c->rank : MPI_UNDEFINED;
	return MPI_SUCCESS;
}

/* ---- parts of one: the dimensions that remain make a grid for each place in the others. When none remains, that would be as
 * many grids of one place as there are ranks; only rank 0 gets its own, as MPI_Cart_create without dimensions gives it to
 * rank 0 only (the standard does not say; MPICH's users rely on it) ---- */

/* What this rank has of the dimensions that remain (or do not). */
struct part {
	int ndims;
	int *dims, *periods;
	int rank; /* in row-major order of these dimensions */
};

static void part_of(const struct ampi_cart *g, const int *remain, int which, struct part *p)
{
	p->ndims = p->rank = 0;
	for (int i = 0; i < g->ndims; i++) {
		if ((remain[i] != 0) != which)
			continue;
		p->dims[p->ndims] = g->dims[i];
		p->periods[p->ndims++] = g->periods[i];
		p->rank = p->rank * g->dims[i] + g->coords[i];
	}
}

int ampi_Cart_sub(MPI_Comm comm, const int remain_dims[], MPI_Comm *newcomm)
{
	const int fn = AMPI_FN_MPI_Cart_sub;
	struct ampi_comm *c;
	struct ampi_topology *t = NULL;
	int error = ampi_topology_open(fn, comm, MPI_CART, &c);
	if (error || (error = ampi_topology_parent(fn, comm, newcomm, &c)))
		return error;
	const struct ampi_cart *g = &c->topology->cart;
	if (g->ndims && !remain_dims)
		return ampi_null_array(c, fn, "remain_dims");
	int *room = vr_rank_alloc(vr_current, 2 * g->ndims * sizeof *room + 1);
	struct part in = {.dims = room, .periods = room + g->ndims}, out = in;
	if (room) {
		part_of(g, remain_dims, 0, &out);
		part_of(g, remain_dims, 1, &in);
		t = cart_new(in.ndims, in.dims, in.periods, in.rank);
	}
	vr_rank_free(vr_current, room);
	if (!t)
		return ampi_no_memory(c, fn);
	if (in.ndims || !out.rank)
		return ampi_topology_attach(fn, c, out.rank, in.rank, t, newcomm);
	ampi_topology_release(t);
	return ampi_topology_attach(fn, c, MPI_UNDEFINED, 0, NULL, newcomm);
}

/* ---- asking ---- */

int ampi_Cartdim_get(MPI_Comm comm, int *ndims)
{
	const int fn = AMPI_FN_MPI_Cartdim_get;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_CART, &c);
	if (error)
		return error;
	if (!ndims)
		return ampi_null_array(c, fn, "ndims");
	*ndims = c->topology->cart.ndims;
	return MPI_SUCCESS;
}

static int check_room(struct ampi_comm *c, int fn, int maxdims)
{
	int n = c->topology->cart.ndims;
	return maxdims >= n ? MPI_SUCCESS : ampi_raise(c, MPI_ERR_ARG, fn, "maxdims is %d, the topology has %d dimensions", maxdims, n);
}

int ampi_Cart_get(MPI_Comm comm, int maxdims, int dims[], int periods[], int coords[])
{
	const int fn = AMPI_FN_MPI_Cart_get;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_CART, &c);
	if (error || (error = check_room(c, fn, maxdims)))
		return error;
	const struct ampi_cart *g = &c->topology->cart;
	if (g->ndims && (!dims || !periods || !coords))
		return ampi_null_array(c, fn, !dims ? "dims" : !periods ? "periods" : "coords");
	for (int i = 0; i < g->ndims; i++) {
		dims[i] = g->dims[i];
		periods[i] = g->periods[i];
		coords[i] = g->coords[i];
	}
	return MPI_SUCCESS;
}

int ampi_Cart_coords(MPI_Comm comm, int rank, int maxdims, int coords[])
{
	const int fn = AMPI_FN_MPI_Cart_coords;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_CART, &c);
	if (error)
		return error;
	if ((uint32_t)rank >= (uint32_t)c->size)
		return ampi_raise(c, MPI_ERR_RANK, fn, "rank is %d, in a communicator of %d", rank, c->size);
	if ((error = check_room(c, fn, maxdims)))
		return error;
	const struct ampi_cart *g = &c->topology->cart;
	if (g->ndims && !coords)
		return ampi_null_array(c, fn, "coords");
	coords_of(g, rank, coords);
	return MPI_SUCCESS;
}

static int outside(struct ampi_comm *c, int fn, const int *coords)
{
	const struct ampi_cart *g = &c->topology->cart;
	int i = 0;
	while (place(g, i, coords[i]) >= 0)
		i++;
	return ampi_raise(c, MPI_ERR_ARG, fn, "coords[%d] is %d, in a dimension of %d that does not wrap", i, coords[i], g->dims[i]);
}

int ampi_Cart_rank(MPI_Comm comm, const int coords[], int *rank)
{
	const int fn = AMPI_FN_MPI_Cart_rank;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_CART, &c);
	if (error)
		return error;
	const struct ampi_cart *g = &c->topology->cart;
	if (!rank || (g->ndims && !coords))
		return ampi_null_array(c, fn, rank ? "coords" : "rank");
	int32_t r = rank_at(g, coords);
	if (r == MPI_PROC_NULL)
		return outside(c, fn, coords);
	*rank = r;
	return MPI_SUCCESS;
}

int ampi_Cart_shift(MPI_Comm comm, int direction, int disp, int *rank_source, int *rank_dest)
{
	const int fn = AMPI_FN_MPI_Cart_shift;
	struct ampi_comm *c;
	int error = ampi_topology_open(fn, comm, MPI_CART, &c);
	if (error)
		return error;
	const struct ampi_cart *g = &c->topology->cart;
	if ((uint32_t)direction >= (uint32_t)g->ndims)
		return ampi_raise(c, MPI_ERR_DIMS, fn, "direction is %d, the topology has %d dimensions", direction, g->ndims);
	if (!rank_source || !rank_dest)
		return ampi_null_array(c, fn, rank_source ? "rank_dest" : "rank_source");
	*rank_source = neighbour(g, c->rank, direction, -(int64_t)disp);
	*rank_dest = neighbour(g, c->rank, direction, disp);
	return MPI_SUCCESS;
}
