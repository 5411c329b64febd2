/* Distributed graphs: whoever gives an edge, both its ends get it with its weight; adjacent ones keep the order of their neighbours. */
#include "check.h"

#define MAX 512

struct edge {
	int source, destination, weight;
};

/* Edge number i of a graph that everybody can work out, and who gives it. */
static struct edge edge_at(int salt, int i)
{
	struct edge e = {check_value(salt, 3 * i) % size, check_value(salt, 3 * i + 1) % size, check_value(salt, 3 * i + 2) % 100};
	return e;
}

static int giver_of(int salt, int i)
{
	return check_value(salt + 77, i) % size;
}

static int compare_edges(const void *a_, const void *b_)
{
	const struct edge *a = a_, *b = b_;
	if (a->source != b->source)
		return a->source - b->source;
	return a->destination != b->destination ? a->destination - b->destination : a->weight - b->weight;
}

static void check_same(struct edge *got, struct edge *want, int n, int weighted)
{
	if (!weighted)
		for (int i = 0; i < n; i++)
			got[i].weight = want[i].weight = 0;
	qsort(got, n, sizeof *got, compare_edges);
	qsort(want, n, sizeof *want, compare_edges);
	for (int i = 0; i < n; i++)
		CHECK_INT(compare_edges(&got[i], &want[i]), 0);
}

static void check_mine(MPI_Comm c, int salt, int edges, int weighted)
{
	static int ends[2][MAX], weights[2][MAX];
	static struct edge got[MAX], in[MAX], out[MAX];
	int n[2] = {0, 0}, counts[2], flag, kind;
	for (int i = 0; i < edges; i++) {
		struct edge e = edge_at(salt, i);
		if (e.destination == rank)
			in[n[0]++] = e;
		if (e.source == rank)
			out[n[1]++] = e;
	}
	MPI_Topo_test(c, &kind);
	CHECK_INT(kind, MPI_DIST_GRAPH);
	MPI_Dist_graph_neighbors_count(c, &counts[0], &counts[1], &flag);
	CHECK_INT(counts[0], n[0]);
	CHECK_INT(counts[1], n[1]);
	CHECK_INT(flag != 0, weighted);
	MPI_Dist_graph_neighbors(c, n[0], ends[0], weighted ? weights[0] : MPI_UNWEIGHTED, n[1], ends[1],
				 weighted ? weights[1] : MPI_UNWEIGHTED);
	for (int i = 0; i < n[0]; i++)
		got[i] = (struct edge){ends[0][i], rank, weights[0][i]};
	check_same(got, in, n[0], weighted);
	for (int i = 0; i < n[1]; i++)
		got[i] = (struct edge){rank, ends[1][i], weights[1][i]};
	check_same(got, out, n[1], weighted);
}

/* The edges that this rank gives; alone: each with a source entry of its own, else gathered by source. */
static void check_random(int salt, int edges, int weighted, int alone)
{
	static int sources[MAX], degrees[MAX], destinations[MAX], weights[MAX];
	int n = 0, k = 0;
	MPI_Comm c, copy;
	for (int s = 0; s < size; s++) {
		int first = k;
		for (int i = 0; i < edges; i++) {
			struct edge e = edge_at(salt, i);
			if (giver_of(salt, i) != rank || e.source != s)
				continue;
			destinations[k] = e.destination;
			weights[k++] = e.weight;
			if (alone || k == first + 1) {
				sources[n] = s;
				degrees[n++] = 0;
			}
			degrees[n - 1]++;
		}
	}
	int *w = !weighted ? MPI_UNWEIGHTED : k ? weights : MPI_WEIGHTS_EMPTY;
	MPI_Dist_graph_create(WORLD, n, sources, degrees, destinations, w, MPI_INFO_NULL, 0, &c);
	check_mine(c, salt, edges, weighted);
	MPI_Comm_dup(c, &copy);
	MPI_Comm_free(&c);
	check_mine(copy, salt, edges, weighted);
	MPI_Comm_free(&copy);
}

/* Orders are kept, and both ends tell weights of their own. */
static void check_adjacent(int weighted, int degree)
{
	static int from[MAX], to[MAX], in[MAX], out[MAX], got[4][MAX];
	int counts[2], flag;
	MPI_Comm c;
	MPI_Info info;
	for (int i = 0; i < degree; i++) {
		from[i] = (rank + size - i % size) % size;
		to[i] = (rank + i) % size;
		in[i] = 7 * rank + i;
		out[i] = 9 * rank + i;
	}
	int *iw = !weighted ? MPI_UNWEIGHTED : degree ? in : MPI_WEIGHTS_EMPTY, *ow = !weighted ? MPI_UNWEIGHTED : degree ? out : MPI_WEIGHTS_EMPTY;
	MPI_Info_create(&info);
	MPI_Dist_graph_create_adjacent(WORLD, degree, from, iw, degree, to, ow, info, 0, &c);
	MPI_Info_free(&info);
	MPI_Dist_graph_neighbors_count(c, &counts[0], &counts[1], &flag);
	CHECK_INT(counts[0], degree);
	CHECK_INT(counts[1], degree);
	CHECK_INT(flag != 0, weighted);
	for (int i = 0; i < 4; i++)
		check_wipe(got[i], MAX);
	MPI_Dist_graph_neighbors(c, degree, got[0], weighted ? got[1] : MPI_UNWEIGHTED, degree, got[2], weighted ? got[3] : MPI_UNWEIGHTED);
	for (int i = 0; i < degree; i++) {
		CHECK_INT(got[0][i], from[i]);
		CHECK_INT(got[2][i], to[i]);
		CHECK_INT(got[1][i], weighted ? in[i] : -1);
		CHECK_INT(got[3][i], weighted ? out[i] : -1);
	}
	MPI_Comm_free(&c);
}

/* One rank alone gives all edges of a ring; the library may choose the order of ranks. */
static void check_one_giver(void)
{
	static int sources[MAX], degrees[MAX], destinations[MAX];
	int n = rank == size / 2 ? size : 0, in, out, flag, from, to, me;
	MPI_Comm c;
	for (int i = 0; i < n; i++) {
		sources[i] = i;
		degrees[i] = 1;
		destinations[i] = (i + 1) % size;
	}
	MPI_Dist_graph_create(WORLD, n, sources, degrees, destinations, MPI_UNWEIGHTED, MPI_INFO_NULL, 1, &c);
	MPI_Dist_graph_neighbors_count(c, &in, &out, &flag);
	CHECK(in == 1 && out == 1 && !flag);
	MPI_Comm_rank(c, &me);
	MPI_Dist_graph_neighbors(c, 1, &from, MPI_UNWEIGHTED, 1, &to, MPI_UNWEIGHTED);
	CHECK_INT(from, (me + size - 1) % size);
	CHECK_INT(to, (me + 1) % size);
	MPI_Comm_free(&c);
}

int main(int argc, char **argv)
{
	check_begin(&argc, &argv);
	for (int salt = 0; salt < 3; salt++)
		for (int edges = 0; edges <= 256; edges = 4 * edges + 1)
			for (int mode = 0; mode < 4; mode++)
				check_random(10 * salt + mode, edges, mode & 1, mode >> 1);
	for (int degree = 0; degree < 6; degree++) {
		check_adjacent(0, degree);
		check_adjacent(1, degree);
	}
	check_one_giver();
	return check_end("dist_graph");
}
