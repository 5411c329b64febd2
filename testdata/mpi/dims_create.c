/* Dims_create: the product is right, what is given stays, what is free does not increase and is balanced; impossible ones are refused. */
#include "check.h"

#define MAX_DIMS 6

static void check_free(int nodes, int n)
{
	int d[MAX_DIMS] = {0}, p = 1;
	MPI_Dims_create(nodes, n, d);
	for (int i = 0; i < n; i++) {
		p *= d[i];
		CHECK(!i || d[i] <= d[i - 1]);
	}
	CHECK_INT(p, nodes);
}

/* In two dimensions there is but one most balanced answer. */
static void check_pair(int nodes)
{
	int d[2] = {0, 0}, low = 1;
	for (int i = 1; i * i <= nodes; i++)
		if (nodes % i == 0)
			low = i;
	MPI_Dims_create(nodes, 2, d);
	CHECK_INT(d[1], low);
	CHECK_INT(d[0], nodes / low);
}

static void check_given(int nodes, int n, int at, int given)
{
	int d[MAX_DIMS] = {0}, p = 1, last = nodes + 1;
	d[at] = given;
	MPI_Dims_create(nodes, n, d);
	CHECK_INT(d[at], given);
	for (int i = 0; i < n; i++) {
		p *= d[i];
		if (i == at)
			continue;
		CHECK(d[i] <= last);
		last = d[i];
	}
	CHECK_INT(p, nodes);
}

struct known {
	int nodes, n, dims[MAX_DIMS], want[MAX_DIMS];
};

static void check_known(const struct known *k)
{
	int d[MAX_DIMS];
	memcpy(d, k->dims, sizeof d);
	MPI_Dims_create(k->nodes, k->n, d);
	for (int i = 0; i < k->n; i++)
		CHECK_INT(d[i], k->want[i]);
}

static int refused(int nodes, int n, int first, int second)
{
	int d[2] = {first, second};
	return check_class(MPI_Dims_create(nodes, n, d));
}

int main(int argc, char **argv)
{
	static const struct known known[] = {
		{6, 2, {0, 0}, {3, 2}}, {7, 2, {0, 0}, {7, 1}}, {6, 3, {0, 3, 0}, {2, 3, 1}}, {12, 3, {0, 0, 0}, {3, 2, 2}},
		{64, 3, {0, 0, 0}, {4, 4, 4}}, {256, 3, {0, 0, 0}, {8, 8, 4}}, {1000, 3, {0, 0, 0}, {10, 10, 10}},
		{360, 3, {0, 0, 0}, {10, 6, 6}}, {5040, 3, {0, 0, 0}, {21, 16, 15}}, {1000003, 2, {0, 0}, {1000003, 1}},
		{5, 1, {5}, {5}}, {12, 2, {3, 4}, {3, 4}},
	};
	check_begin(&argc, &argv);
	for (int i = 0; i < LEN(known); i++)
		check_known(&known[i]);
	for (int nodes = 1; nodes <= 256; nodes++) {
		for (int n = 1; n <= MAX_DIMS; n++)
			check_free(nodes, n);
		check_pair(nodes);
		for (int given = 2; given <= 6; given++)
			for (int at = 0; nodes % given == 0 && at < 3; at++)
				check_given(nodes, 3, at, given);
	}
	MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
	MPI_Comm_set_errhandler(WORLD, MPI_ERRORS_RETURN);
	CHECK(refused(6, 2, 4, 0) != MPI_SUCCESS); /* no multiple of 4 */
	CHECK(refused(6, 2, 2, 2) != MPI_SUCCESS); /* 2 * 2 is not 6 */
	CHECK(refused(6, 2, -1, 0) != MPI_SUCCESS);
	return check_end("dims_create");
}
