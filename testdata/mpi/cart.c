/* Cartesian topologies against a model: places, ranks, shifts, parts, copies; ranks that are left over have none. */
#include "check.h"

#define MAX_DIMS 5

struct grid {
	int n, dims[MAX_DIMS], wraps[MAX_DIMS];
};

static int places(const struct grid *g)
{
	int p = 1;
	for (int i = 0; i < g->n; i++)
		p *= g->dims[i];
	return p;
}

static void coords_of(const struct grid *g, int r, int *at)
{
	for (int i = g->n - 1; i >= 0; i--) {
		at[i] = r % g->dims[i];
		r /= g->dims[i];
	}
}

/* MPI_PROC_NULL outside of the grid. */
static int rank_of(const struct grid *g, const int *at)
{
	int r = 0;
	for (int i = 0; i < g->n; i++) {
		int x = at[i], d = g->dims[i];
		if (g->wraps[i])
			x = (x % d + d) % d;
		if (x < 0 || x >= d)
			return MPI_PROC_NULL;
		r = r * d + x;
	}
	return r;
}

static void check_places(MPI_Comm c, const struct grid *g, int me)
{
	int n = -1, dims[MAX_DIMS], wraps[MAX_DIMS], at[MAX_DIMS], want[MAX_DIMS], r;
	MPI_Cartdim_get(c, &n);
	CHECK_INT(n, g->n);
	MPI_Cart_get(c, MAX_DIMS, dims, wraps, at);
	coords_of(g, me, want);
	for (int i = 0; i < n; i++) {
		CHECK_INT(dims[i], g->dims[i]);
		CHECK_INT(wraps[i], g->wraps[i]);
		CHECK_INT(at[i], want[i]);
	}
	for (int k = 0; k < places(g); k++) {
		coords_of(g, k, want);
		MPI_Cart_coords(c, k, MAX_DIMS, at);
		for (int i = 0; i < n; i++)
			CHECK_INT(at[i], want[i]);
		MPI_Cart_rank(c, at, &r);
		CHECK_INT(r, k);
		for (int i = 0; i < n; i++)
			at[i] += g->wraps[i] ? g->dims[i] * (k % 5 - 2) : 0;
		MPI_Cart_rank(c, at, &r);
		CHECK_INT(r, k);
	}
}

static void check_shifts(MPI_Comm c, const struct grid *g, int me)
{
	int at[MAX_DIMS], from, to;
	for (int i = 0; i < g->n; i++)
		for (int by = -2 * g->dims[i] - 1; by <= 2 * g->dims[i] + 1; by++) {
			coords_of(g, me, at);
			MPI_Cart_shift(c, i, by, &from, &to);
			at[i] += by;
			CHECK_INT(to, rank_of(g, at));
			at[i] -= 2 * by;
			CHECK_INT(from, rank_of(g, at));
		}
}

static void check_part(MPI_Comm c, const struct grid *g, int me, int mask)
{
	int remain[MAX_DIMS], at[MAX_DIMS], subrank, result;
	struct grid sub = {0};
	MPI_Comm part;
	for (int i = 0; i < g->n; i++) {
		remain[i] = mask >> i & 1;
		if (!remain[i])
			continue;
		sub.dims[sub.n] = g->dims[i];
		sub.wraps[sub.n++] = g->wraps[i];
	}
	coords_of(g, me, at);
	MPI_Cart_sub(c, remain, &part);
	if (!sub.n && me)
		return; /* left to the library: nothing, or a grid of its own */
	int want[MAX_DIMS], k = 0;
	for (int i = 0; i < g->n; i++)
		if (remain[i])
			want[k++] = at[i];
	MPI_Comm_rank(part, &subrank);
	CHECK_INT(subrank, rank_of(&sub, want));
	check_places(part, &sub, subrank);
	check_shifts(part, &sub, subrank);
	/* Who is in it has the same place in the other dimensions. */
	int sum = 0, mine = 0;
	for (int i = 0; i < g->n; i++)
		mine = mine * g->dims[i] + (remain[i] ? 0 : at[i]);
	MPI_Allreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, part);
	CHECK_INT(sum, mine * places(&sub));
	MPI_Comm_compare(part, c, &result);
	CHECK(result == (places(&sub) == places(g) ? MPI_CONGRUENT : MPI_UNEQUAL));
	MPI_Comm_free(&part);
}

static void check_copies(MPI_Comm c, const struct grid *g, int me)
{
	MPI_Comm copy;
	MPI_Request q;
	int kind;
	MPI_Comm_dup(c, &copy);
	MPI_Topo_test(copy, &kind);
	CHECK_INT(kind, MPI_CART);
	check_places(copy, g, me);
	MPI_Comm_free(&copy);
	check_places(c, g, me);
	MPI_Comm_idup(c, &copy, &q);
	MPI_Wait(&q, MPI_STATUS_IGNORE);
	check_places(copy, g, me);
	check_shifts(copy, g, me);
	MPI_Comm_free(&copy);
	MPI_Comm_split(c, 0, 0, &copy);
	MPI_Topo_test(copy, &kind);
	CHECK_INT(kind, MPI_UNDEFINED);
	MPI_Comm_free(&copy);
}

static void check_grid(const struct grid *g, int reorder)
{
	MPI_Comm c;
	int kind, n, me, mapped;
	if (places(g) > size)
		return;
	MPI_Cart_map(WORLD, g->n, g->dims, g->wraps, &mapped);
	CHECK(mapped == MPI_UNDEFINED || (mapped >= 0 && mapped < places(g)));
	MPI_Cart_create(WORLD, g->n, g->dims, g->wraps, reorder, &c);
	if (!reorder)
		CHECK((c != MPI_COMM_NULL) == (rank < places(g)));
	if (c == MPI_COMM_NULL)
		return;
	MPI_Comm_size(c, &n);
	CHECK_INT(n, places(g));
	MPI_Comm_rank(c, &me);
	if (!reorder)
		CHECK_INT(me, rank);
	MPI_Topo_test(c, &kind);
	CHECK_INT(kind, MPI_CART);
	check_places(c, g, me);
	check_shifts(c, g, me);
	for (int mask = 0; mask < 1 << g->n; mask++)
		check_part(c, g, me, mask);
	check_copies(c, g, me);
	MPI_Comm_free(&c);
}

/* Grids that the whole job fills. */
static void check_filling(int n)
{
	struct grid g = {.n = n};
	MPI_Dims_create(size, n, g.dims);
	for (int wraps = 0; wraps < 1 << n; wraps++) {
		for (int i = 0; i < n; i++)
			g.wraps[i] = wraps >> i & 1;
		check_grid(&g, wraps & 1);
	}
}

static void check_world(void)
{
	int kind = -1;
	MPI_Topo_test(WORLD, &kind);
	CHECK_INT(kind, MPI_UNDEFINED);
}

int main(int argc, char **argv)
{
	static const struct grid grids[] = {
		{0, {0}, {0}}, {1, {1}, {0}}, {1, {1}, {1}}, {1, {2}, {1}}, {1, {3}, {0}}, {2, {1, 1}, {0, 1}}, {2, {2, 1}, {1, 1}},
		{2, {2, 2}, {1, 0}}, {2, {3, 2}, {0, 1}}, {2, {1, 4}, {1, 1}}, {3, {2, 1, 3}, {0, 0, 1}}, {3, {2, 2, 2}, {1, 1, 1}},
		{3, {3, 2, 2}, {0, 1, 0}}, {4, {1, 2, 1, 2}, {1, 0, 0, 1}}, {5, {2, 1, 2, 1, 2}, {1, 1, 0, 0, 1}},
	};
	check_begin(&argc, &argv);
	check_world();
	for (int i = 0; i < LEN(grids); i++)
		check_grid(&grids[i], 0);
	for (int n = 1; n <= 3; n++)
		check_filling(n);
	return check_end("cart");
}
